// SPDX-License-Identifier: BSD-3-Clause
#include "svd/carroll.hpp"

#include <algorithm>
#include <array>
#include <carroll/svd.hpp>
#include <cstdio>
#include <utility>

#include "harness/buffers.hpp"
#include "svd_instances.hpp"

namespace carroll::perf {
namespace {

using Memory = Exec::memory_space;

template <class Real>
Buffer<Real> buffer(Exec const& exec, std::string const& label, std::size_t size) {
  return Buffer<Real>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// The parts of `size` elements that belong to the given members, one after the other.
template <class Real>
std::vector<Real> to_host(Exec const& exec, Buffer<Real> const& source, std::size_t size,
                          std::span<int const> members) {
  std::vector<Real> host(members.size() * size);
  for (std::size_t i = 0; size > 0 && i < members.size(); ++i) {
    auto const first = static_cast<std::size_t>(members[i]) * size;
    Kokkos::View<Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> target(host.data() + i * size,
                                                                           size);
    Kokkos::deep_copy(
        exec, target,
        Kokkos::subview(source, std::pair<std::size_t, std::size_t>(first, first + size)));
  }
  exec.fence("carroll::perf::to_host");
  return host;
}

template <class Real>
class CarrollSvd final : public SvdContender<Real> {
 public:
  CarrollSvd(Exec const& exec, SvdOptions const& options, SvdShape const& shape,
             std::span<Real const> A)
      : exec_(exec),
        shape_(shape),
        A_(buffer<Real>(exec, "A", A.size())),
        U_(buffer<Real>(exec, "U", shape.vectors ? shape.batch * shape.u_size() : 0)),
        S_(buffer<Real>(exec, "S", static_cast<std::size_t>(shape.batch) * shape.rank())),
        V_(buffer<Real>(exec, "V", shape.vectors ? shape.batch * shape.v_size() : 0)),
        info_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "info"), shape.batch),
        workspace_(svd_workspace<Real>(exec,
                                       SvdExtents{.batch = shape.batch,
                                                  .rows = shape.rows,
                                                  .cols = shape.cols,
                                                  .u = wanted(shape),
                                                  .v = wanted(shape)},
                                       options)) {
    load(A);
  }

  void load(std::span<Real const> A) final {
    Kokkos::View<Real const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(A.data(), A.size());
    Kokkos::deep_copy(exec_, A_, host);
    exec_.fence("carroll::perf::CarrollSvd::load");
  }

  // A is const to carroll::svd, so there is nothing to restore.
  void run() override { shape_.batch == 1 ? run_single() : run_batch(); }
  void fence() override { exec_.fence("carroll::perf::CarrollSvd::fence"); }

  SvdSolution<Real> solution(std::span<int const> members) override {
    std::array const whole{0};
    std::size_t const u_size = shape_.vectors ? shape_.u_size() : 0;
    std::size_t const v_size = shape_.vectors ? shape_.v_size() : 0;
    return {to_host(exec_, U_, u_size, members), to_host(exec_, S_, S_.extent(0), whole),
            to_host(exec_, V_, v_size, members)};
  }

  std::string complaint() override {
    for (auto const& info : infos())
      if (info.status != Status::success) return "status is " + std::string(to_string(info.status));
    return {};
  }

  int sweeps() override {
    int most = 0;
    for (auto const& info : infos()) most = std::max(most, info.sweeps);
    return most;
  }

 private:
  using Matrix = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;

  static SvdVectors wanted(SvdShape const& shape) {
    return shape.vectors ? SvdVectors::thin : SvdVectors::none;
  }

  void run_single() {
    int const m = shape_.rows, n = shape_.cols, r = shape_.rank();
    Kokkos::View<Real const**, Kokkos::LayoutLeft, Memory> const A(A_.data(), m, n);
    auto const info = Kokkos::subview(info_, 0);
    if (shape_.vectors)
      svd_async(exec_, A, Matrix(U_.data(), m, r), S_, Matrix(V_.data(), n, r), info, workspace_);
    else
      singular_values_async(exec_, A, S_, info, workspace_);
  }

  void run_batch() {
    int const batch = shape_.batch, m = shape_.rows, n = shape_.cols, r = shape_.rank();
    Kokkos::View<Real**, Kokkos::LayoutRight, Memory> const S(S_.data(), batch, r);
    Packed<Real const> const A = packed(A_, batch, m, n);
    if (shape_.vectors)
      svd_async(exec_, A, packed(U_, batch, m, r), S, packed(V_, batch, n, r), info_, workspace_);
    else
      singular_values_async(exec_, A, S, info_, workspace_);
  }

  std::vector<SvdInfo<Real>> infos() {
    std::vector<SvdInfo<Real>> host(info_.extent(0));
    Kokkos::View<SvdInfo<Real>*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> target(host.data(),
                                                                                    host.size());
    Kokkos::deep_copy(exec_, target, info_);
    exec_.fence("carroll::perf::CarrollSvd::infos");
    return host;
  }

  Exec exec_;
  SvdShape shape_;
  Buffer<Real> A_, U_, S_, V_;
  Kokkos::View<SvdInfo<Real>*, Memory> info_;
  SvdWorkspace<Exec, Real> workspace_;
};

}  // namespace

std::vector<SvdOptions> study_methods() {
  return {{.method = SvdMethod::cyclic},
          {.method = SvdMethod::round_robin, .placement = Placement::global},
          {.method = SvdMethod::round_robin, .placement = Placement::semi_shared},
          {.method = SvdMethod::round_robin, .placement = Placement::shared}};
}

template <class Real>
std::vector<SvdOptions> other_families(SvdShape const& shape) {
  auto const [n, m] = std::minmax(shape.rows, shape.cols);
  auto const family = [&](SvdPath path) {
    return detail::svd_path(detail::svd_family<Exec, Real>({.path = path}, m, n));
  };
  std::vector<SvdOptions> methods;
  for (SvdPath const path : svd_paths)
    if (family(path) == path && path != family(SvdPath::automatic))
      methods.push_back({.path = path});
  return methods;
}
template std::vector<SvdOptions> other_families<float>(SvdShape const&);
template std::vector<SvdOptions> other_families<double>(SvdShape const&);

std::string method_name(SvdOptions const& options) {
  std::string name;
  switch (options.method) {
    case SvdMethod::preconditioned:
      name = options.path == SvdPath::automatic ? "preconditioned" : to_string(options.path);
      break;
    case SvdMethod::cyclic: name = "cyclic"; break;
    case SvdMethod::round_robin:
      name = options.placement == Placement::global        ? "round_robin_global"
             : options.placement == Placement::semi_shared ? "round_robin_semi_shared"
                                                           : "round_robin_shared";
      break;
  }
  if (options.tolerance > 0) {
    char text[32];
    std::snprintf(text, sizeof text, "_tol%.0e", options.tolerance);
    name += text;
  }
  return name;
}

template <class Real>
std::unique_ptr<SvdContender<Real>> make_carroll_svd(Exec const& exec, SvdOptions const& options,
                                                     SvdShape const& shape,
                                                     std::span<Real const> A) {
  return std::make_unique<CarrollSvd<Real>>(exec, options, shape, A);
}
template std::unique_ptr<SvdContender<float>> make_carroll_svd(Exec const&, SvdOptions const&,
                                                               SvdShape const&,
                                                               std::span<float const>);
template std::unique_ptr<SvdContender<double>> make_carroll_svd(Exec const&, SvdOptions const&,
                                                                SvdShape const&,
                                                                std::span<double const>);

}  // namespace carroll::perf
