// SPDX-License-Identifier: BSD-3-Clause
// Sums, products and norms of vectors: the same bits over all ways to them, those of the canonical
// tree, or the nearest numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/new_instance.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/blas/emulated_reductions.hpp"

namespace carroll::test {

std::string_view const hostile_name = "reductions";
std::string_view const hostile_about =
    "Sums, inner products, norms and largest entries of vectors of many kinds, by every summation: "
    "the same bits alone, in batches, in every layout, by one thread and by several, and by the "
    "kernels of warps; against the canonical tree by recursion, or MPFR's correctly rounded sum.";
std::string_view const hostile_kinds =
    "sum,asum,dot,norm2,max_abs,canonical,compensated,exact,single,double,complex_single,"
    "complex_double";

namespace {

/// Lengths by their logarithms, and those next to where something ends.
int hostile_length(Random& random, int most) {
  if (random.chance(0.05)) return random.index(3);
  int length = static_cast<int>(std::exp(random.uniform() * std::log(most + 1.0)));
  if (random.chance(0.2)) {
    constexpr int ends[] = {32, 64, 512, 1024, 2048, 16384, 32768, 65536};
    length = ends[random.index(8)] + random.index(3) - 1;
  }
  return std::min(length, most);
}

template <Reduction R, class T>
class ReductionRound {
  using Value = ReductionValue<R, T>;
  using Info = ReductionInfo<Value>;
  static constexpr int parts = detail::is_complex<T> ? 2 : 1;

 public:
  ReductionRound(Round& round, Summation summation)
      : round_(round), random_(round.random), summation_(summation) {
    length_ = hostile_length(random_, 100'000);
    int const most = std::clamp(100'000 / (length_ + 1), 1, on_device ? 400 : 40);
    count_ = 1 + random_.index(most);
    if (length_ < 8 && random_.chance(0.02)) count_ = 1000 + random_.index(100);
    conjugate_ = random_.chance(0.5);
    bool const alike = random_.chance(0.4);
    int kind = random_.index(int(vector_kinds.size()));
    for (int b = 0; b < count_; ++b) {
      if (!alike) kind = random_.index(int(vector_kinds.size()));
      kinds_.push_back(static_cast<VectorKind>(kind));
      auto const drawn = VectorsOf<RealOf<T>>(random_, kinds_.back(), length_, parts).draw();
      x_.push_back(entries_of<T>(drawn.x));
      y_.push_back(entries_of<T>(drawn.y));
    }
  }

  void run() {
    PlacedVectors<T> const x(x_, drawn_placement()), y(y_, drawn_placement());
    Exec const exec;
    first_ = infos_of(reduced<R>(exec, x.batch(), y.batch(), summation_, conjugate_));
    if (!round_.expect(first_.size() == x_.size(), name() + ": wrong number of infos")) return;
    alone(exec, x, y);
    with_workspace(exec, x, y);
    elsewhere(exec);
    by_one_thread(x, y);
    by_warps();
    against_oracle();
    round_.checked(count_);
  }

 private:
  [[nodiscard]] std::string name() const {
    return std::string(scalar_name_of<T>()) + " " + name_of(R) + " " + name_of(summation_) +
           (R == Reduction::dot && !conjugate_ ? " not conjugated" : "") + ", length " +
           std::to_string(length_) + ", " + std::to_string(count_) + " members";
  }
  void expect(Info const& info, std::size_t b, std::string const& way) {
    round_.expect(same_bits(info, first_[b]), name() + ", member " + std::to_string(b) + " (" +
                                                  std::string(name_of(kinds_[b])) + "), " + way +
                                                  ": " + text_of(info) + ", in a batch " +
                                                  text_of(first_[b]));
  }
  template <class Infos>
  static std::vector<Info> infos_of(Infos const& infos) {
    return {infos.begin(), infos.end()};
  }
  template <class Infos>
  void compare(Infos const& infos, std::string const& way) {
    if (!round_.expect(infos.size() == first_.size(), name() + ", " + way + ": number of infos"))
      return;
    for (std::size_t b = 0; b < first_.size(); ++b) expect(infos[b], b, way);
  }

  Placement drawn_placement() {
    int const offset = random_.index(4), gap = random_.index(4);
    if (random_.chance(0.25)) return Placement::columns(count_, gap, offset);
    return Placement::rows(length_, random_.chance(0.6) ? 1 : 1 + random_.index(5), gap, offset);
  }

  void alone(Exec const& exec, PlacedVectors<T> const& x, PlacedVectors<T> const& y) {
    int const some = std::min(count_, 40), from = random_.index(count_ - some + 1);
    for (auto b = static_cast<std::size_t>(from); b < static_cast<std::size_t>(from + some); ++b)
      expect(reduced<R>(exec, x.member(b), y.member(b), summation_, conjugate_), b, "alone");
  }

  void with_workspace(Exec const& exec, PlacedVectors<T> const& x, PlacedVectors<T> const& y) {
    auto workspace =
        reduction_workspace<T>(exec, {.length = length_, .batch = count_}, {summation_});
    compare(reduced<R>(exec, x.batch(), y.batch(), workspace, conjugate_), "with a workspace");
    int const step = 1 + random_.index(3);
    Kokkos::View<Info**, Kokkos::LayoutRight, Memory> const infos("carroll_test::infos",
                                                                  size(count_), size(step));
    reduced_async<R>(exec, x.batch(), y.batch(), Kokkos::subview(infos, Kokkos::ALL(), step - 1),
                     workspace, conjugate_);
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos);
    for (std::size_t b = 0; b < first_.size(); ++b) expect(found(b, size(step - 1)), b, "async");
    compare(reduced<R>(exec, x.batch(), y.batch(), workspace, conjugate_), "with it again");
    auto one = reduction_workspace<T>(exec, {.length = length_}, {summation_});
    for (int k = 0; k < 2; ++k) {
      auto const b = static_cast<std::size_t>(random_.index(count_));
      expect(reduced<R>(exec, x.member(b), y.member(b), one, conjugate_), b,
             "alone with a workspace");
    }
  }

  /// In other places: rows as LayoutRight, columns as LayoutLeft.
  void elsewhere(Exec const& exec) {
    PlacedVectors<T> const rows(x_, Placement::rows(length_, 1, 0, random_.index(2)));
    PlacedVectors<T> const columns(y_, Placement::columns(count_));
    compare(reduced<R>(exec, rows.template batch_as<Kokkos::LayoutRight>(),
                       columns.template batch_as<Kokkos::LayoutLeft>(), summation_, conjugate_),
            "rows and columns");
    PlacedVectors<T> const x(x_, drawn_placement()), y(y_, drawn_placement());
    compare(reduced<R>(exec, x.batch(), y.batch(), summation_, conjugate_), "elsewhere");
  }

  /// On an instance of its own, which on hosts has one thread.
  void by_one_thread(PlacedVectors<T> const& x, PlacedVectors<T> const& y) {
    if (!random_.chance(0.5)) return;
    Exec const other = new_instance_of<Exec>();
    compare(reduced<R>(other, x.batch(), y.batch(), summation_, conjugate_), "another instance");
  }

  /// By the kernels of devices with warps, on a host whose threads take turns.
  void by_warps() {
#ifdef CARROLL_TEST_EMULATED_REDUCTIONS
    int const chunks = (length_ + 1023) / 1024 * count_;
    if (chunks > 4 || !random_.chance(0.1)) return;
    EmulatedReductions<T> emulated(x_, y_, 1 + random_.index(2), random_.index(2));
    compare(emulated.template run<R>(summation_, conjugate_), "by warps");
    round_.expect(emulated.is_tidy(), name() + ", by warps: the workspace is not as it was");
#endif
  }

  void against_oracle() {
    bool const exact = summation_ == Summation::exact && R != Reduction::max_abs;
    if (exact && !have_mpfr()) return;
    auto const texts = complaints_of(first_.size(), [&](std::size_t b) {
      HostReduction<R, T> const host(x_[b], y_[b], conjugate_);
      Info const expected = exact ? host.exact() : host.by_tree(summation_);
      if (same_bits(expected, first_[b])) return std::string();
      return text_of(first_[b]) + ", must be " + text_of(expected);
    });
    for (std::size_t b = 0; b < texts.size(); ++b)
      round_.expect(texts[b].empty(), name() + ", member " + std::to_string(b) + " (" +
                                          std::string(name_of(kinds_[b])) + "): " + texts[b]);
  }

  Round& round_;
  Random& random_;
  Summation summation_;
  int length_ = 0, count_ = 1;
  bool conjugate_ = true;
  std::vector<VectorKind> kinds_;
  std::vector<std::vector<T>> x_, y_;
  std::vector<Info> first_;
};

template <class T>
void one_round(Round& round, Reduction reduction, Summation summation) {
  for_each_reduction([&](auto chosen) {
    if (chosen() == reduction) ReductionRound<chosen(), T>(round, summation).run();
  });
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  auto reduction = static_cast<Reduction>(round.random.index(5));
  Summation summation = all_summations[round.random.index(3)];
  int scalar = round.random.index(4);
  for_each_reduction([&](auto chosen) {
    if (kind == name_of(chosen())) reduction = chosen();
  });
  for (Summation const one : all_summations)
    if (kind == name_of(one)) summation = one;
  constexpr std::string_view scalars[] = {"single", "double", "complex_single", "complex_double"};
  for (int s = 0; s < 4; ++s)
    if (kind == scalars[s]) scalar = s;
  switch (scalar) {
    case 0: return one_round<float>(round, reduction, summation);
    case 1: return one_round<double>(round, reduction, summation);
    case 2: return one_round<Kokkos::complex<float>>(round, reduction, summation);
    default: return one_round<Kokkos::complex<double>>(round, reduction, summation);
  }
}

}  // namespace carroll::test
