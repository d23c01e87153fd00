// SPDX-License-Identifier: BSD-3-Clause
#include "files/jpeg/reader.hpp"

#include <jpeglib.h>
#include <cstdio>  // before jpeglib.h, which needs it

#include <array>
#include <csetjmp>
#include <cstdint>
#include <vector>

#include "files/input_file.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

constexpr JDIMENSION largest_jpeg_extent = 32768;

/// libjpeg reports errors as libpng does, by a long jump: see PngDecoder.
class JpegDecoder {
 public:
  explicit JpegDecoder(InputFile& file) : file_(file) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = on_error;
    errors_.emit_message = on_message;
    jpeg_.client_data = this;
    if (!create()) fail();
    source_.init_source = [](j_decompress_ptr) {};
    source_.fill_input_buffer = fill;
    source_.skip_input_data = skip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = [](j_decompress_ptr) {};
    jpeg_.src = &source_;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&jpeg_); }
  JpegDecoder(JpegDecoder const&) = delete;
  JpegDecoder& operator=(JpegDecoder const&) = delete;

  SamplePicture decode() {
    if (!read_header()) fail();
    if (jpeg_.num_components != 1 && jpeg_.num_components != 3)
      file_.fail("is a JPEG picture of " + std::to_string(jpeg_.num_components) +
                 " inks, expected grey or colours");
    if (jpeg_.image_width > largest_jpeg_extent || jpeg_.image_height > largest_jpeg_extent)
      file_.fail("is larger than 32768 pixels in one direction");
    check_extents(file_, jpeg_.image_height, jpeg_.image_width, 2 * jpeg_.num_components);
    if (!start()) fail();
    auto const in_row = static_cast<std::size_t>(jpeg_.output_width) *
                        static_cast<std::size_t>(jpeg_.output_components);
    SamplePicture picture{static_cast<int>(jpeg_.output_width),
                          static_cast<int>(jpeg_.output_height),
                          jpeg_.output_components,
                          8,
                          {}};
    std::vector<JSAMPLE> row(in_row);
    for (JDIMENSION v = 0; v < jpeg_.output_height; ++v) {
      if (!read_row(row.data())) fail();
      for (unsigned const sample : row)
        picture.levels.push_back(static_cast<std::uint16_t>(257 * sample));
    }
    return picture;
  }

 private:
  bool create() {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&jpeg_);
    return true;
  }
  bool read_header() {
    if (setjmp(jump_) != 0) return false;
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }
  bool start() {
    if (setjmp(jump_) != 0) return false;
    jpeg_.out_color_space = jpeg_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg_);
    return true;
  }
  bool read_row(JSAMPROW row) {
    if (setjmp(jump_) != 0) return false;
    jpeg_read_scanlines(&jpeg_, &row, 1);
    return true;
  }

  [[noreturn]] void fail() const {
    file_.fail(std::string("is no JPEG picture that can be read: ") + message_.data());
  }

  static JpegDecoder& self(void* pointer) { return *static_cast<JpegDecoder*>(pointer); }

  static boolean fill(j_decompress_ptr jpeg) {
    JpegDecoder& decoder = self(jpeg->client_data);
    std::size_t const got = decoder.take();
    if (got == 0) decoder.stop("it ends too early");
    decoder.source_.next_input_byte = decoder.buffer_.data();
    decoder.source_.bytes_in_buffer = got;
    return TRUE;
  }
  /// 0 at the end of the file, and where reading fails, because no exception may pass libjpeg.
  std::size_t take() noexcept {
    try {
      return file_.read(buffer_.data(), buffer_.size());
    } catch (...) {
      return 0;
    }
  }
  static void skip(j_decompress_ptr jpeg, long count) {
    auto& source = self(jpeg->client_data).source_;
    while (count > static_cast<long>(source.bytes_in_buffer)) {
      count -= static_cast<long>(source.bytes_in_buffer);
      fill(jpeg);
    }
    source.next_input_byte += count;
    source.bytes_in_buffer -= static_cast<std::size_t>(count);
  }
  [[noreturn]] void stop(char const* text) {
    std::snprintf(message_.data(), message_.size(), "%s", text);
    std::longjmp(jump_, 1);
  }
  [[noreturn]] static void on_error(j_common_ptr jpeg) {
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    self(jpeg->client_data).stop(text);
  }
  /// Damage that libjpeg would go on with is an error here.
  static void on_message(j_common_ptr jpeg, int level) {
    if (level < 0) on_error(jpeg);
  }

  InputFile& file_;
  jpeg_decompress_struct jpeg_{};
  jpeg_error_mgr errors_{};
  jpeg_source_mgr source_{};
  std::jmp_buf jump_{};
  std::array<JOCTET, 16 * 1024> buffer_{};
  std::array<char, JMSG_LENGTH_MAX> message_{};
};

}  // namespace

SamplePicture read_jpeg_samples(std::string const& path) {
  InputFile file(path, "a JPEG picture");
  return JpegDecoder(file).decode();
}

}  // namespace carroll::tool
