// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>

#ifdef CARROLL_CUDA_PASS
/// See device/read_only.hpp.
namespace carroll::detail {

KOKKOS_FORCEINLINE_FUNCTION void read_together(float (&into)[1], float const* from) {
  into[0] = __ldg(from);
}
KOKKOS_FORCEINLINE_FUNCTION void read_together(double (&into)[1], double const* from) {
  into[0] = __ldg(from);
}
KOKKOS_FORCEINLINE_FUNCTION void read_together(float (&into)[2], float const* from) {
  float2 const x = __ldg(reinterpret_cast<float2 const*>(from));
  into[0] = x.x;
  into[1] = x.y;
}
KOKKOS_FORCEINLINE_FUNCTION void read_together(double (&into)[2], double const* from) {
  double2 const x = __ldg(reinterpret_cast<double2 const*>(from));
  into[0] = x.x;
  into[1] = x.y;
}
KOKKOS_FORCEINLINE_FUNCTION void read_together(float (&into)[4], float const* from) {
  float4 const x = __ldg(reinterpret_cast<float4 const*>(from));
  into[0] = x.x;
  into[1] = x.y;
  into[2] = x.z;
  into[3] = x.w;
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void read_together(Kokkos::complex<Real> (&into)[1],
                                               Kokkos::complex<Real> const* from) {
  Real parts[2];
  read_together(parts, reinterpret_cast<Real const*>(from));
  into[0] = Kokkos::complex<Real>(parts[0], parts[1]);
}

}  // namespace carroll::detail
#endif
