// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "files/host_matrix.hpp"

namespace carroll::tool {

/// What `carroll lstsq` or `carroll pinv --general` was asked to do.
struct LstsqArguments {
  std::string input;
  std::string right;  ///< right-hand sides; of pinv none
  double rcond = -1;
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the file to write; empty: none
  bool json = false;
};

/// What `carroll pinv` was asked to do.
struct PinvArguments {
  std::string input;  ///< a directory; of a general matrix a file
  bool general = false;
  double rcond = -1;  ///< of a general matrix
  bool dense = false;
  bool covariance = false;
  double damping = 0;
  std::string method = "automatic";
  std::string path = "automatic";
  std::string writer = "automatic";
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

}  // namespace carroll::tool
