// SPDX-License-Identifier: BSD-3-Clause
#include "files/png/reader.hpp"

#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "files/input_file.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

constexpr int largest_extent = 32768;

/// libpng reports errors by a long jump out of its functions. What it jumps over must not need to
/// be destroyed: the functions that call setjmp have nothing but pointers and numbers of their own.
class PngDecoder {
 public:
  explicit PngDecoder(InputFile& file)
      : file_(file),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)),
        info_(png_ != nullptr ? png_create_info_struct(png_) : nullptr) {
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      file_.fail("cannot be read: libpng does not start");
    }
    png_set_read_fn(png_, this, read_bytes);
    png_set_user_limits(png_, largest_extent, largest_extent);
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(PngDecoder const&) = delete;
  PngDecoder& operator=(PngDecoder const&) = delete;

  GreyPicture decode() {
    if (!read_header()) fail();
    check_extents(file_, height_, width_, static_cast<std::int64_t>(sizeof(float)));
    check_size();
    std::vector<std::uint8_t> bytes(row_bytes_ * static_cast<std::size_t>(height_));
    std::vector<png_bytep> rows;
    for (int v = 0; v < height_; ++v)
      rows.push_back(bytes.data() + static_cast<std::size_t>(v) * row_bytes_);
    if (!read_pixels(rows.data())) fail();
    return grey(rows);
  }

 private:
  /// A header that lies must not provoke a giant allocation: deflate shrinks nothing by more than
  /// 1032 times.
  void check_size() {
    constexpr double most_shrunk = 1032;
    auto const left = file_.remaining();
    double const needed = static_cast<double>(row_bytes_) * height_ / most_shrunk;
    truncated_ = left && needed > static_cast<double>(*left) + 64 * 1024;  // some is in libpng
    if (truncated_) fail();
  }

  bool read_header() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    png_set_expand(png_);  // palettes to colours, fewer bits to 8
    png_set_strip_alpha(png_);
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
    (void)png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    width_ = static_cast<int>(png_get_image_width(png_, info_));
    height_ = static_cast<int>(png_get_image_height(png_, info_));
    channels_ = png_get_channels(png_, info_);
    bits_ = png_get_bit_depth(png_, info_);
    row_bytes_ = png_get_rowbytes(png_, info_);
    return true;
  }

  bool read_pixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  [[nodiscard]] GreyPicture grey(std::vector<png_bytep> const& rows) const {
    GreyPicture picture{width_, height_, {}};
    picture.grey.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    for (png_bytep const row : rows) {
      for (int u = 0; u < width_; ++u) {
        auto const sample = [&](int channel) {
          auto const place = static_cast<std::size_t>(u * channels_ + channel);
          if (bits_ == 8) return static_cast<float>(row[place]);
          std::uint16_t value = 0;
          std::memcpy(&value, row + 2 * place, sizeof value);
          return static_cast<float>(value) / 257.0F;  // 65535 becomes 255
        };
        bool const colours = channels_ >= 3;
        picture.grey.push_back(
            colours ? 0.299F * sample(0) + 0.587F * sample(1) + 0.114F * sample(2) : sample(0));
      }
    }
    return picture;
  }

  [[noreturn]] void fail() const {
    if (truncated_) file_.fail("is truncated: the PNG picture ends too early");
    file_.fail(std::string("is no PNG picture that can be read: ") + message_);
  }

  static PngDecoder& self(void* pointer) { return *static_cast<PngDecoder*>(pointer); }

  static void read_bytes(png_structp png, png_bytep out, std::size_t count) {
    PngDecoder& decoder = self(png_get_io_ptr(png));
    if (decoder.take(out, count)) return;
    decoder.truncated_ = true;
    png_error(png, "ends too early");
  }
  /// False at the end of the file, and where reading fails, because no exception may pass libpng.
  bool take(png_bytep out, std::size_t count) noexcept {
    try {
      return file_.read(out, count) == count;
    } catch (...) {
      return false;
    }
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    PngDecoder& decoder = self(png_get_error_ptr(png));
    std::snprintf(decoder.message_, sizeof decoder.message_, "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  InputFile& file_;
  png_structp png_;
  png_infop info_;
  char message_[160] = "";
  bool truncated_ = false;
  int width_ = 0, height_ = 0, channels_ = 0, bits_ = 0;
  std::size_t row_bytes_ = 0;
};

}  // namespace

GreyPicture read_png(std::string const& path) {
  constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
  InputFile file(path, "a PNG picture");
  if (file.peek(1).empty()) file.fail("is empty, expected a PNG picture");
  std::string_view const begin = file.peek(signature.size());
  if (begin != signature) {
    if (begin == signature.substr(0, begin.size()))
      file.fail("is truncated: the PNG picture ends too early");
    file.fail("is no PNG picture");
  }
  return PngDecoder(file).decode();
}

}  // namespace carroll::tool
