// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compress/code/bytes.hpp"

namespace carroll::tool {

/// How long zstd may look for a shorter code.
enum class Effort {
  fast,  ///< prefix codes of single bytes, nothing else: a tenth of a millisecond
  good,  ///< repetitions, too, those that are found soon
  best,  ///< for factors that are tens of kilobytes, which take far longer to compute
};

/// Appends a section: four bytes how long it is, four how long its code is, and the code: a frame
/// of zstd without its magic number, or the bytes themselves where no code is shorter.
void put_section(Bytes& to, Bytes const& section, Effort effort);

/// The next section. BadPicture if it is longer than `most`, which is asked before anything is
/// allocated, or no such section.
[[nodiscard]] Bytes take_section(ByteReader& from, std::size_t most);

}  // namespace carroll::tool
