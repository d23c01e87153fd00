// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files/host_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// mantissa·2^exponent, and the same in decimal, rounded.
struct ScaledText {
  double mantissa = 0;  ///< modulus in [1, 2), or 0; NaN where there is no number
  std::int64_t exponent = 0;
  std::string decimal;
};

/// Two numbers between which the determinant is proved to be.
struct ProvedInterval {
  ScaledText lower, upper;
};

/// A determinant as `carroll det` reports it. This header leaves Kokkos out, so that only the file
/// behind it is compiled for the device.
struct Determination {
  std::string status;
  std::string backend;
  double sign = 0;      ///< -1, 0 or 1; NaN where there is no value
  double mantissa = 0;  ///< modulus in [1, 2), or 0
  std::int64_t exponent = 0;
  double log_abs = 0;
  double value = 0;     ///< 0 or infinite where a double cannot hold it
  std::string decimal;  ///< as many digits as the precision has
  double growth = 0;
  double seconds = 0;
  std::optional<ProvedInterval> interval;  ///< where it was asked for
  std::optional<std::string> exact;        ///< all digits, where they were asked for
};

/// Copies A to the device and finds its determinant there by a method and a path named like
/// enumerators of DeterminantMethod and DeterminantPath. A must be square. Needs a Runtime.
template <class Real>
[[nodiscard]] Determination determine(HostMatrix<Real> const& A, std::string const& method,
                                      std::string const& path, Progress& progress);

/// The same with an interval that contains it, and without a choice of methods.
template <class Real>
[[nodiscard]] Determination certify(HostMatrix<Real> const& A, Progress& progress);

/// The exact determinant of a square matrix of integers. Needs a Runtime.
[[nodiscard]] Determination determine_exactly(HostMatrix<std::int64_t> const& A,
                                              Progress& progress);

}  // namespace carroll::tool
