// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <type_traits>

namespace carroll::detail {

/// The caller's matrices of `svd` for A of this scalar type, real or complex: U and V are of it, S
/// is real.
template <class T>
using SvdViewsOf =
    std::conditional_t<is_complex<T>, ComplexSvdViews<RealOf<T>>, SvdViews<RealOf<T>>>;

}  // namespace carroll::detail
