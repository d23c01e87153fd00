// SPDX-License-Identifier: BSD-3-Clause
#include "files/png/writer.hpp"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "files/file_error.hpp"

namespace carroll::tool {

namespace {

/// Encodes into memory. For libpng's long jumps see PngDecoder.
class PngEncoder {
 public:
  PngEncoder()
      : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
    png_set_write_fn(png_, this, append, flush);
  }
  ~PngEncoder() { png_destroy_write_struct(&png_, &info_); }
  PngEncoder(PngEncoder const&) = delete;
  PngEncoder& operator=(PngEncoder const&) = delete;

  std::vector<std::byte> encode(std::string const& path, BytePicture const& picture) {
    std::vector<png_const_bytep> rows;
    auto const row = static_cast<std::size_t>(picture.width) *
                     static_cast<std::size_t>(picture.channels * picture.bits / 8);
    for (int v = 0; v < picture.height; ++v)
      rows.push_back(picture.bytes.data() + static_cast<std::size_t>(v) * row);
    if (!write(picture, rows.data())) {
      if (out_of_memory_) throw std::bad_alloc();
      throw FileError(path, std::string("cannot be written: ") + message_);
    }
    return std::move(out_);
  }

 private:
  bool write(BytePicture const& picture, png_const_bytep const* rows) {
    static constexpr int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                    PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(picture.width),
                 static_cast<png_uint_32>(picture.height), picture.bits,
                 types[picture.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    for (int v = 0; v < picture.height; ++v) png_write_row(png_, rows[v]);
    png_write_end(png_, nullptr);
    return true;
  }

  static PngEncoder& self(void* pointer) { return *static_cast<PngEncoder*>(pointer); }

  static void append(png_structp png, png_bytep bytes, std::size_t count) {
    if (self(png_get_io_ptr(png)).take(bytes, count)) return;
    png_error(png, "no memory");
  }
  /// No exception may pass libpng.
  bool take(png_const_bytep bytes, std::size_t count) noexcept {
    try {
      auto const view = std::as_bytes(std::span(bytes, count));
      out_.insert(out_.end(), view.begin(), view.end());
      return true;
    } catch (...) {
      out_of_memory_ = true;
      return false;
    }
  }
  static void flush(png_structp) {}
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    PngEncoder& encoder = self(png_get_error_ptr(png));
    std::snprintf(encoder.message_, sizeof encoder.message_, "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  std::vector<std::byte> out_;
  png_structp png_;
  png_infop info_;
  char message_[160] = "";
  bool out_of_memory_ = false;
};

}  // namespace

void write_png(OutputFiles& files, std::string const& path, BytePicture const& picture) {
  std::vector<std::byte> const encoded = PngEncoder().encode(path, picture);
  files.write(path, {}, encoded);
}

void write_png(OutputFiles& files, std::string const& path, SamplePicture const& picture) {
  BytePicture bytes{picture.width, picture.height, picture.channels, {}, picture.bits};
  bytes.bytes.reserve(picture.levels.size() * static_cast<std::size_t>(picture.bits / 8));
  for (unsigned const level : picture.levels) {
    if (picture.bits == 8) {
      bytes.bytes.push_back(static_cast<std::uint8_t>((level + 128) / 257));
    } else {
      bytes.bytes.push_back(static_cast<std::uint8_t>(level >> 8U));
      bytes.bytes.push_back(static_cast<std::uint8_t>(level));
    }
  }
  write_png(files, path, bytes);
}

}  // namespace carroll::tool
