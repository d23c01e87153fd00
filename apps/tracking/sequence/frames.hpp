// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace carroll::tool {

/// The pictures of a sequence in their order.
struct SequenceFrames {
  std::vector<std::string> paths;
  std::vector<double> times;  ///< seconds; where nothing tells them 0, 1, 2, …
  bool timed = false;         ///< something does
};

/// Of what the command line names: pictures; a directory, whose PNG and JPEG files follow each
/// other by name; or a text with the name of a picture in each line, relative to the text's own
/// directory, after its time or not (TUM's rgb.txt). Names that are numbers are times, of whole
/// ones with 16 digits or more in nanoseconds (EuRoC). FileError for fewer than two pictures.
[[nodiscard]] SequenceFrames sequence_frames(std::vector<std::string> const& words);

}  // namespace carroll::tool
