// SPDX-License-Identifier: BSD-3-Clause
#include "files/matrix_market/banner.hpp"

#include <iterator>

#include "files/limits.hpp"

namespace carroll::tool {

MatrixMarketBanner read_banner(MatrixMarketLines& lines, bool complex) {
  auto const words = lines.banner();
  if (words.empty() || words[0] != "%%matrixmarket") {
    lines.fail("does not begin with %%MatrixMarket");
  }
  if (words.size() != 5) {
    lines.fail("has " + count_text(std::ssize(words), "word") +
               ", expected 5: %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  }
  if (words[1] != "matrix") lines.fail("holds a '" + words[1] + "', expected a matrix");
  MatrixMarketBanner banner;
  banner.coordinate = words[2] == "coordinate";
  if (!banner.coordinate && words[2] != "array") {
    lines.fail("format '" + words[2] + "', expected array or coordinate");
  }
  banner.integer = words[3] == "integer";
  banner.pattern = words[3] == "pattern";
  // "double" is no official name of a field, but files in circulation have it for real.
  bool const real = words[3] == "real" || words[3] == "double";
  if (complex ? words[3] != "complex" : !banner.integer && !banner.pattern && !real) {
    lines.fail("field '" + words[3] + "', expected " +
               (complex ? "complex" : "real, integer or pattern"));
  }
  if (banner.pattern && !banner.coordinate) {
    lines.fail("pattern needs the coordinate format, this file has array");
  }
  banner.skew_symmetric = words[4] == "skew-symmetric";
  banner.hermitian = complex && words[4] == "hermitian";
  banner.symmetric = banner.skew_symmetric || banner.hermitian || words[4] == "symmetric";
  if (!banner.symmetric && words[4] != "general") {
    lines.fail("symmetry '" + words[4] + "', expected general, symmetric" +
               (complex ? ", skew-symmetric or Hermitian" : " or skew-symmetric"));
  }
  if (banner.pattern && banner.skew_symmetric) {
    lines.fail("a pattern has no signs and cannot be skew-symmetric");
  }
  return banner;
}

}  // namespace carroll::tool
