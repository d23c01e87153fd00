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
  PngDecoder(InputFile& file, bool with_alpha)
      : file_(file),
        with_alpha_(with_alpha),
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

  SamplePicture decode() {
    if (!read_header()) fail();
    check_extents(file_, height_, width_, std::int64_t{channels_} * 2);
    check_size();
    std::vector<std::uint8_t> bytes(row_bytes_ * static_cast<std::size_t>(height_));
    std::vector<png_bytep> rows;
    for (int v = 0; v < height_; ++v)
      rows.push_back(bytes.data() + static_cast<std::size_t>(v) * row_bytes_);
    if (!read_pixels(rows.data())) fail();
    return samples(rows);
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
    if (!with_alpha_) png_set_strip_alpha(png_);
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

  [[nodiscard]] SamplePicture samples(std::vector<png_bytep> const& rows) const {
    SamplePicture picture{width_, height_, channels_, bits_, {}};
    auto const in_row = static_cast<std::size_t>(width_) * static_cast<std::size_t>(channels_);
    picture.levels.resize(in_row * static_cast<std::size_t>(height_));
    auto* level = picture.levels.data();
    for (png_bytep const row : rows) {
      if (bits_ == 16) {
        std::memcpy(level, row, 2 * in_row);
      } else {
        for (std::size_t s = 0; s < in_row; ++s)
          level[s] = static_cast<std::uint16_t>(257 * row[s]);  // 255 becomes 65535
      }
      level += in_row;
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
  bool with_alpha_;
  png_structp png_;
  png_infop info_;
  char message_[160] = "";
  bool truncated_ = false;
  int width_ = 0, height_ = 0, channels_ = 0, bits_ = 0;
  std::size_t row_bytes_ = 0;
};

SamplePicture decoded_png(std::string const& path, bool with_alpha) {
  constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
  InputFile file(path, "a PNG picture");
  if (file.peek(1).empty()) file.fail("is empty, expected a PNG picture");
  std::string_view const begin = file.peek(signature.size());
  if (begin != signature) {
    if (begin == signature.substr(0, begin.size()))
      file.fail("is truncated: the PNG picture ends too early");
    file.fail("is no PNG picture");
  }
  return PngDecoder(file, with_alpha).decode();
}

}  // namespace

SamplePicture read_png_samples(std::string const& path) {
  return decoded_png(path, true);
}

GreyPicture grey_of(SamplePicture const& samples) {
  GreyPicture picture{samples.width, samples.height, {}};
  auto const channels = static_cast<std::size_t>(samples.channels);
  picture.grey.reserve(samples.levels.size() / channels);
  for (std::size_t pixel = 0; pixel < samples.levels.size(); pixel += channels) {
    auto const grey = [&](std::size_t channel) {
      return static_cast<float>(samples.levels[pixel + channel]) / 257.0F;  // 65535 becomes 255
    };
    picture.grey.push_back(channels >= 3 ? 0.299F * grey(0) + 0.587F * grey(1) + 0.114F * grey(2)
                                         : grey(0));
  }
  return picture;
}

GreyPicture read_png(std::string const& path) {
  return grey_of(decoded_png(path, false));
}

}  // namespace carroll::tool
