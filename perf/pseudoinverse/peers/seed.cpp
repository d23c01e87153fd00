// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/peers/seed.hpp"

#include "pseudoinverse/peers/seed_kernels.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class Seed final : public SeedContender {
 public:
  Seed(Exec const& exec, SeedMethod const& method, ArrowFrames<Real> const& frames)
      : exec_(exec), method_(method), frames_(frames) {
    int const n = frames.shape().rows, cols = frames.shape().depths + 1;
    auto const make = [&](std::string const& label, std::size_t size) {
      return Kokkos::View<Real*, Exec::memory_space>(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
    };
    auto const wide = static_cast<std::size_t>(cols);
    views_ = {n,
              cols,
              frames.motion(),
              frames.depth(),
              frames.offsets(),
              make("gram", 3 * wide),
              make("inverse of gram", wide * wide),
              make("first", 1),
              make("inverse", wide * n)};
  }

  void restore() override {
    seed::enqueue_identity(exec_, views_);
    if (method_.phase > SeedMethod::Phase::gram) seed::enqueue_gram(exec_, views_);
    if (method_.phase > SeedMethod::Phase::inverse) enqueue_inverse();
  }
  void run() override {
    if (runs(SeedMethod::Phase::gram)) seed::enqueue_gram(exec_, views_);
    if (runs(SeedMethod::Phase::inverse)) enqueue_inverse();
    if (runs(SeedMethod::Phase::product)) enqueue_product();
  }
  void fence() override { exec_.fence("carroll::perf::Seed"); }

  std::vector<double> column(int p) override {
    complete();
    auto const n = static_cast<std::size_t>(views_.n), cols = static_cast<std::size_t>(views_.cols);
    auto const at = static_cast<std::size_t>(p);
    return by_rows() ? entries(at, n, cols) : entries(at * cols, 1, cols);
  }
  std::vector<double> first_row() override {
    complete();
    auto const n = static_cast<std::size_t>(views_.n);
    return entries(0, by_rows() ? 1 : static_cast<std::size_t>(views_.cols), n);
  }

 private:
  bool by_rows() const { return method_.product == SeedMethod::Product::naive; }
  /// What comes after the phase that was timed.
  void complete() {
    if (complete_) return;
    if (method_.phase == SeedMethod::Phase::gram) enqueue_inverse();
    if (method_.phase == SeedMethod::Phase::gram || method_.phase == SeedMethod::Phase::inverse)
      enqueue_product();
    complete_ = true;
  }
  std::vector<double> entries(std::size_t first, std::size_t stride, std::size_t count) const {
    Kokkos::View<Real*, Exec::memory_space> const found(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "entries"), count);
    seed::copy_entries(exec_, views_.pinv, first, stride, found);
    exec_.fence("carroll::perf::Seed::entries");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    return {host.data(), host.data() + host.size()};
  }
  bool runs(SeedMethod::Phase phase) const {
    return method_.phase == SeedMethod::Phase::all || method_.phase == phase;
  }
  void enqueue_inverse() {
    seed::enqueue_first_row(exec_, views_);
    if (method_.inverse == SeedMethod::Inverse::coalesced)
      seed::enqueue_coalesced_rows(exec_, views_);
    else
      seed::enqueue_uncoalesced_columns(exec_, views_);
  }
  void enqueue_product() {
    if (method_.product == SeedMethod::Product::tiled)
      seed::enqueue_tiled_product(exec_, views_);
    else
      seed::enqueue_naive_product(exec_, views_);
  }

  Exec exec_;
  SeedMethod method_;
  ArrowFrames<Real> frames_;
  seed::Views<Real> views_;
  bool complete_ = false;
};

}  // namespace

std::string method_name(SeedMethod const& method) {
  bool const coalesced = method.inverse == SeedMethod::Inverse::coalesced;
  bool const tiled = method.product == SeedMethod::Product::tiled;
  switch (method.phase) {
    case SeedMethod::Phase::all: return tiled ? "seed_tiled" : "seed_naive";
    case SeedMethod::Phase::gram: return "seed_gram";
    case SeedMethod::Phase::inverse:
      return coalesced ? "seed_inverse_coalesced" : "seed_inverse_uncoalesced";
    case SeedMethod::Phase::product: return tiled ? "seed_product_tiled" : "seed_product_naive";
  }
  return "?";
}

template <class Real>
std::unique_ptr<SeedContender> make_seed(Exec const& exec, SeedMethod const& method,
                                         ArrowFrames<Real> const& frames) {
  return std::make_unique<Seed<Real>>(exec, method, frames);
}
template std::unique_ptr<SeedContender> make_seed(Exec const&, SeedMethod const&,
                                                  ArrowFrames<float> const&);
template std::unique_ptr<SeedContender> make_seed(Exec const&, SeedMethod const&,
                                                  ArrowFrames<double> const&);

}  // namespace carroll::perf
