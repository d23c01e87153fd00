// SPDX-License-Identifier: BSD-3-Clause
#include "compress/code/entropy.hpp"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

namespace carroll::tool {

namespace {

constexpr std::size_t magic_bytes = 4;
constexpr std::uint8_t frame_magic[magic_bytes] = {0x28, 0xB5, 0x2F, 0xFD};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

void set_parameter(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
  if (ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) != 0)
    throw std::runtime_error("zstd does not take a parameter that all its versions 1 have");
}

/// A frame with its magic number; empty where it is not shorter than the section.
Bytes frame_of(Bytes const& section, Effort effort) {
  // Kept from one section to the next: its tables take as long to get as a section to be written.
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> const context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
  set_parameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  if (effort == Effort::fast) {
    // Repetitions of seven bytes or more, looked for in a table of 64: next to none is found.
    set_parameter(context.get(), ZSTD_c_compressionLevel, 1);
    set_parameter(context.get(), ZSTD_c_strategy, ZSTD_fast);
    set_parameter(context.get(), ZSTD_c_minMatch, 7);
    set_parameter(context.get(), ZSTD_c_hashLog, 6);
  } else if (effort == Effort::good) {
    // Choices by what they cost in bits, as by level 17, but among two candidates a place: a third
    // of the time for a thousandth more in the mean (tokens of Kodak pictures, zstd 1.5.7,
    // 2026-11).
    set_parameter(context.get(), ZSTD_c_compressionLevel, 17);
    set_parameter(context.get(), ZSTD_c_strategy, ZSTD_btultra);
    set_parameter(context.get(), ZSTD_c_searchLog, 1);
    set_parameter(context.get(), ZSTD_c_targetLength, 96);
    set_parameter(context.get(), ZSTD_c_minMatch, 5);
  } else {
    // Level 19 takes up to three times as long for a thousandth of the bytes less (Kodak, 2026-11).
    set_parameter(context.get(), ZSTD_c_compressionLevel, 17);
  }
  Bytes frame(ZSTD_compressBound(section.size()));
  std::size_t const size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), section.data(), section.size());
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  frame.resize(size < section.size() + magic_bytes ? size : 0);
  return frame;
}

}  // namespace

void put_section(Bytes& to, Bytes const& section, Effort effort) {
  Bytes frame;
  if (!section.empty()) frame = frame_of(section, effort);
  if (effort != Effort::fast && !section.empty()) {
    Bytes const other = frame_of(section, Effort::fast);
    if (!other.empty() && other.size() < frame.size()) frame = other;
  }
  put_number(to, section.size(), 4);
  if (frame.empty()) {
    put_number(to, section.size(), 4);
    to.insert(to.end(), section.begin(), section.end());
  } else {
    put_number(to, frame.size() - magic_bytes, 4);
    to.insert(to.end(), frame.begin() + magic_bytes, frame.end());
  }
}

Bytes take_section(ByteReader& from, std::size_t most) {
  auto const size = static_cast<std::size_t>(from.number(4));
  auto const coded = static_cast<std::size_t>(from.number(4));
  if (size > most) throw BadPicture("has a section that is longer than its picture can need");
  auto const* const code = from.take(coded);
  if (coded == size) return Bytes(code, code + coded);
  if (coded > size) throw BadPicture("has a section whose code is longer than itself");
  Bytes frame(magic_bytes + coded);
  std::copy(frame_magic, frame_magic + magic_bytes, frame.begin());
  std::copy(code, code + coded, frame.begin() + magic_bytes);
  std::unique_ptr<ZSTD_DCtx, FreeContext> const context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  Bytes section(size);
  std::size_t const found = ZSTD_decompressDCtx(context.get(), section.data(), section.size(),
                                                frame.data(), frame.size());
  if (ZSTD_isError(found) != 0 || found != size)
    throw BadPicture("has a section that zstd cannot decompress");
  return section;
}

}  // namespace carroll::tool
