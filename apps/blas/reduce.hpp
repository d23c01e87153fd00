// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/matrix_file.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
enum class ReductionKind { sum, dot, norm2, asum, max_abs };

struct ReductionWishes {
  ReductionKind kind = ReductionKind::sum;
  std::string summation = "canonical";  ///< an enumerator of Summation
  bool conjugate = true;                ///< of dot
};

struct Reduced {
  std::string status;
  std::string backend;
  double value = 0;
  double imaginary = 0;  ///< of a complex sum or inner product
  bool is_complex = false;
  double seconds = 0;
};

/// Copies the entries to the device and reduces them there. y has as many entries as x, complex
/// where x is, for dot; otherwise none. Needs a Runtime.
template <class Real>
[[nodiscard]] Reduced reduce(HostEntries<Real> const& x, HostEntries<Real> const& y,
                             ReductionWishes const& wishes, Progress& progress);

}  // namespace carroll::tool
