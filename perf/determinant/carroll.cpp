// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/carroll.hpp"

#include <algorithm>
#include <carroll/determinant.hpp>

#include "determinant_instances.hpp"

namespace carroll::perf {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

template <class Real>
class CarrollDeterminant final : public DeterminantContender<Real> {
 public:
  CarrollDeterminant(Exec const& exec, DeterminantOptions const& options,
                     DeterminantMatrices<Real> const& matrices)
      : exec_(exec),
        shape_(matrices.shape()),
        input_(matrices.buffer()),
        A_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "A"), shape_.size()),
        info_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "info"), shape_.batch),
        workspace_(
            determinant_workspace<Real>(exec, {.batch = shape_.batch, .n = shape_.n}, options)) {}

  void restore() override { Kokkos::deep_copy(exec_, A_, input_); }
  void run() override {
    int const n = shape_.n;
    if (shape_.batch == 1)
      determinant_async(exec_, Kokkos::View<Real**, Kokkos::LayoutRight, Memory>(A_.data(), n, n),
                        Kokkos::subview(info_, 0), workspace_);
    else
      determinant_async(
          exec_, Kokkos::View<Real***, Kokkos::LayoutRight, Memory>(A_.data(), shape_.batch, n, n),
          info_, workspace_);
  }
  void fence() override { exec_.fence("carroll::perf::CarrollDeterminant::fence"); }

  std::vector<ScaledNumber<Real>> values() override {
    std::vector<ScaledNumber<Real>> values;
    for (auto const& info : infos()) values.push_back(info.value);
    return values;
  }
  double growth() override {
    double growth = 0;
    for (auto const& info : infos()) growth = std::max(growth, static_cast<double>(info.growth));
    return growth;
  }
  std::string complaint() override {
    for (auto const& info : infos())
      if (info.status != Status::success) return "status is " + std::string(to_string(info.status));
    return {};
  }
  std::size_t workspace_bytes() const override { return workspace_.bytes(); }

 private:
  std::vector<DeterminantInfo<Real>> infos() {
    std::vector<DeterminantInfo<Real>> host(info_.extent(0));
    Kokkos::View<DeterminantInfo<Real>*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const target(
        host.data(), host.size());
    Kokkos::deep_copy(exec_, target, info_);
    exec_.fence("carroll::perf::CarrollDeterminant::infos");
    return host;
  }

  Exec exec_;
  DeterminantShape shape_;
  typename DeterminantMatrices<Real>::Buffer input_, A_;
  Kokkos::View<DeterminantInfo<Real>*, Memory> info_;
  DeterminantWorkspace<Exec, Real> workspace_;
};

}  // namespace

template <class Real>
std::vector<DeterminantOptions> other_families(Exec const& exec, DeterminantShape const& shape) {
  auto const device = detail::DeterminantDevice::of<Exec, Real>(detail::processors(exec));
  auto const family = [&](DeterminantPath path) {
    auto const plan = detail::determinant_plan<Real>({.path = path}, shape.n, shape.batch, device);
    return plan ? plan->path : DeterminantPath::automatic;
  };
  auto const chosen = family(DeterminantPath::automatic);
  std::vector<DeterminantOptions> families;
  for (auto const& row : detail::determinant_table<Real>()) {
    bool const known = !families.empty() && families.back().path == row.path;
    if (!known && row.path != chosen && family(row.path) == row.path)
      families.push_back({.path = row.path});
  }
  return families;
}
template std::vector<DeterminantOptions> other_families<float>(Exec const&,
                                                               DeterminantShape const&);
template std::vector<DeterminantOptions> other_families<double>(Exec const&,
                                                                DeterminantShape const&);

std::string method_name(DeterminantOptions const& options) {
  if (options.path != DeterminantPath::automatic) return std::string(to_string(options.path));
  switch (options.method) {
    case DeterminantMethod::blocked: return "blocked";
    case DeterminantMethod::condensation: return "condensation";
    case DeterminantMethod::salem_said: return "salem_said";
    case DeterminantMethod::dodgson: return "dodgson";
    case DeterminantMethod::condensation_in_place: return "condensation_in_place";
    case DeterminantMethod::condensation_ping_pong: return "condensation_ping_pong";
    case DeterminantMethod::condensation_read_only: return "condensation_read_only";
    case DeterminantMethod::condensation_read_only_column: return "condensation_read_only_column";
  }
  return "?";
}

template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_carroll_determinant(
    Exec const& exec, DeterminantOptions const& options,
    DeterminantMatrices<Real> const& matrices) {
  return std::make_unique<CarrollDeterminant<Real>>(exec, options, matrices);
}
template std::unique_ptr<DeterminantContender<float>> make_carroll_determinant(
    Exec const&, DeterminantOptions const&, DeterminantMatrices<float> const&);
template std::unique_ptr<DeterminantContender<double>> make_carroll_determinant(
    Exec const&, DeterminantOptions const&, DeterminantMatrices<double> const&);

}  // namespace carroll::perf
