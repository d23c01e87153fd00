// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <carroll/detail/matrix_product/launch.hpp>
#include <carroll/detail/matrix_product/vendor.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/gemm/workspace.hpp>
#include <limits>
#include <string>

/// What AccessTo<GemmWorkspace> declares.
namespace carroll::detail {

template <class T>
inline constexpr ProductScalar product_scalar{int(sizeof(T)), std::is_same_v<RealOf<T>, double>,
                                              is_complex<T>};

template <class ExecSpace>
ProductPlace product_place(ExecSpace const& exec) {
  return {.host = lanes<ExecSpace> == 1, .tensors = has_double_tensors(exec)};
}

/// Throws std::invalid_argument unless the options can be had here.
inline void require_usable(char const* function, GemmOptions const& options,
                           ProductPlace const& place, ProductScalar const& scalar) {
  require(options.method != GemmMethod::vendor || has_vendor_product, function, [] {
    return std::string("options.method is vendor, but Carroll was built without KokkosKernels");
  });
  if (options.kernel == GemmKernel::automatic) return;
  bool const blocked =
      options.method == GemmMethod::automatic || options.method == GemmMethod::blocked;
  bool const here = options.kernel == GemmKernel::packed      ? place.host
                    : options.kernel == GemmKernel::registers ? !place.host
                    : options.kernel == GemmKernel::tensors   ? place.tensors && scalar.is_double
                                                              : false;
  require(blocked && here, function, [&] {
    return "options.kernel is " + std::string(to_string(options.kernel)) +
           (blocked ? ", which there is not for this scalar type and execution space"
                    : ", which is for options.method = blocked");
  });
}

template <class ExecSpace, class T>
ProductPlan product_plan(ExecSpace const& exec, GemmExtents const& extents,
                         GemmOptions const& options, bool in_parts) {
  auto const m = static_cast<int>(extents.rows), n = static_cast<int>(extents.cols);
  auto const k = static_cast<int>(extents.terms);
  ProductPlan plan;
  plan.info.method = options.method == GemmMethod::automatic ? GemmMethod::blocked : options.method;
  plan.info.kernel = product_kernel(product_place(exec), product_scalar<T>, options);
  if (plan.info.kernel == GemmKernel::registers || plan.info.kernel == GemmKernel::tensors) {
    plan.info.parts = in_parts ? product_parts(m, n, k) : 1;
    plan.depth = product_depth(k, plan.info.parts);
    if (plan.info.parts > 1) plan.info.parts = quotient_up(k, plan.depth);
  }
  if constexpr (lanes<ExecSpace> == 1) plan.workers = exec.concurrency();
  return plan;
}

template <class ExecSpace, class T>
auto AccessTo<GemmWorkspace<ExecSpace, T>>::make(ExecSpace const& exec, char const* function,
                                                 GemmExtents const& extents,
                                                 GemmOptions const& options, bool in_parts)
    -> Workspace {
  require_usable(function, extents);
  require_usable(function, options, product_place(exec), product_scalar<T>);
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.plan_ = product_plan<ExecSpace, T>(exec, extents, options, in_parts);
  require_addressable(function, {extents.rows, extents.cols, extents.terms, extents.batch},
                      double(w.plan_.info.parts) * double(extents.rows) * double(extents.cols) *
                          double(extents.batch) * sizeof(T));
  double const teams = double(quotient_up(static_cast<int>(extents.rows), 8)) *
                       quotient_up(static_cast<int>(extents.cols), 8) * double(extents.batch) *
                       w.plan_.info.parts;
  require(teams <= std::numeric_limits<int>::max(), function, [&] {
    return "C of " + extents_text({extents.batch, extents.rows, extents.cols}) +
           " entries has too many tiles of 8×8 for one launch";
  });
  w.bytes_ = allocate_arena(exec, "carroll::gemm::workspace", [&](Arena& arena) {
    arena.template take<std::byte>(product_bytes<ExecSpace, T>(extents, w.plan_));
  });
  return w;
}

template <class ExecSpace, class T>
void AccessTo<GemmWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec, char const* function,
                                                    MatrixProduct<T> const& product,
                                                    Workspace const& w) {
  bool const any = product.m > 0 && product.n > 0 && product.k > 0 && product.batch > 0;
  if (w.plan_.info.kernel == GemmKernel::vendor && any && !(product.alpha == T(0)))
    return require(enqueue_vendor_product(exec, product), function, [] {
      return std::string(
          "the vendor's product takes matrices whose rows or columns have no gaps, and of complex "
          "ones no conjugate of such rows");
    });
  enqueue_product(exec, product, w.plan_, w.bytes_.data());
}

}  // namespace carroll::detail
