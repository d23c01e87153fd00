// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/determinant_ragged.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hostile/determinant/square_matrices.hpp"
#include "hostile/round.hpp"
#include "support/copy.hpp"
#include "support/determinant/drivers.hpp"
#include "support/determinant/ragged_matrices.hpp"

/// All ways to the determinants of some matrices, which promise the same bits.
namespace carroll::test {

inline char const* method_name(DeterminantMethod method) {
  constexpr char const* names[] = {"blocked",
                                   "condensation",
                                   "salem_said",
                                   "dodgson",
                                   "condensation_in_place",
                                   "condensation_ping_pong",
                                   "condensation_read_only",
                                   "condensation_read_only_column"};
  return names[static_cast<int>(method)];
}

template <class T>
std::string text_of(DeterminantInfo<T> const& info) {
  char growth[40];
  std::snprintf(growth, sizeof growth, "%a", static_cast<double>(info.growth));
  return std::string(to_string(info.status)) + " " + to_string(info.value) + " growth " + growth;
}

/// Matrices of one order, by one method.
template <class T>
struct DeterminantProblem {
  std::vector<HostMatrix<T>> matrices;
  std::vector<int> kinds;
  int n = 0;
  DeterminantMethod method = DeterminantMethod::blocked;

  [[nodiscard]] std::string name(std::size_t member) const {
    return std::string(scalar_name()) + " " + method_name(method) + ", n " + std::to_string(n) +
           ", member " + std::to_string(member) + " of " + std::to_string(matrices.size()) + " (" +
           std::string(square_kinds[static_cast<std::size_t>(kinds[member])]) + ")";
  }
  static constexpr char const* scalar_name() {
    if constexpr (detail::is_complex<T>)
      return sizeof(RealOf<T>) == 4 ? "complex float" : "complex double";
    else
      return sizeof(T) == 4 ? "float" : "double";
  }
};

template <class T>
class DeterminantWays {
 public:
  using Infos = std::vector<DeterminantInfo<T>>;

  DeterminantWays(Round& round, DeterminantProblem<T> const& problem)
      : round_(round), random_(round.random), problem_(problem), options_{problem.method} {}

  /// The infos that all others are compared with.
  Infos reference() {
    reference_ = batch<Kokkos::LayoutRight>(problem_.matrices, false, "LayoutRight, kept");
    return reference_;
  }

  void all() {
    compare(batch<Kokkos::LayoutRight>(problem_.matrices, true, "LayoutRight, overwritten"),
            "LayoutRight, overwritten");
    bool const left_overwritten = random_.chance(0.5);
    compare(batch<Kokkos::LayoutLeft>(problem_.matrices, left_overwritten, "LayoutLeft"),
            left_overwritten ? "LayoutLeft, overwritten" : "LayoutLeft, kept");
    bool const stride_overwritten = random_.chance(0.5);
    compare(batch<Kokkos::LayoutStride>(problem_.matrices, stride_overwritten, "LayoutStride"),
            stride_overwritten ? "LayoutStride, overwritten" : "LayoutStride, kept");
    workspace();
    alone();
    others();
    ragged();
  }

 private:
  void compare(Infos const& infos, std::string const& way) {
    if (!round_.expect(infos.size() == reference_.size(), way + ": wrong number of infos")) return;
    for (std::size_t b = 0; b < infos.size(); ++b) compare(infos[b], b, way);
  }
  bool compare(DeterminantInfo<T> const& info, std::size_t b, std::string const& way) {
    return round_.expect(same_bits(info, reference_[b]), problem_.name(b) + ", " + way + ": " +
                                                             text_of(info) + ", in a batch " +
                                                             text_of(reference_[b]));
  }

  template <class Layout>
  Infos batch(std::vector<HostMatrix<T>> const& matrices, bool overwritten,
              std::string const& way) {
    auto A = guarded_batch<T, Layout>(matrices, problem_.n);
    Infos infos = overwritten ? determinant(Exec(), A.view(), options_)
                              : determinant_of(Exec(), A.view(), options_);
    A.to_host();
    check_memory(A, matrices, overwritten, way);
    return infos;
  }
  template <class Guarded>
  void check_memory(Guarded const& A, std::vector<HostMatrix<T>> const& matrices, bool overwritten,
                    std::string const& way) {
    round_.expect(A.guards_intact(), problem_.name(0) + ", " + way + ": wrote beside A");
    bool kept = true;
    if (!overwritten)
      A.for_each_index([&](std::array<std::size_t, 3> at) {
        T const& was = matrices[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
        kept = kept && std::memcmp(&A(at), &was, sizeof was) == 0;
      });
    round_.expect(kept, problem_.name(0) + ", " + way + ": A has changed");
  }

  /// A workspace twice, infos to a View of the caller's.
  void workspace() {
    Exec const exec;
    auto const count = problem_.matrices.size();
    auto A = guarded_batch<T, Kokkos::LayoutRight>(problem_.matrices, problem_.n);
    auto workspace = determinant_workspace<T>(
        exec, {static_cast<std::int64_t>(count), problem_.n, true}, options_);
    DeviceInfos const infos = device_infos(exec, count);
    for (int repeat = 0; repeat < 2; ++repeat) {
      determinant_of_async(exec, A.view(), infos, workspace);
      compare(on_host(exec, infos), repeat == 0 ? "with a workspace" : "with a workspace again");
    }
  }

  using DeviceInfos = Kokkos::View<DeterminantInfo<T>*, Memory>;
  static DeviceInfos device_infos(Exec const& exec, std::size_t count) {
    return DeviceInfos(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll_test::infos"),
                       count);
  }
  static Infos on_host(Exec const& exec, DeviceInfos const& infos) {
    Infos copied(infos.extent(0));
    carroll::test::deep_copy(
        exec,
        Kokkos::View<DeterminantInfo<T>*, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(copied.data(), copied.size()),
        infos);
    exec.fence("carroll_test: infos");
    return copied;
  }

  template <class Layout>
  DeterminantInfo<T> single(HostMatrix<T> const& matrix, bool overwritten) {
    auto const A = guarded_from<T, Layout>(matrix);
    return overwritten ? determinant(Exec(), A.view(), options_)
                       : determinant_of(Exec(), A.view(), options_);
  }
  DeterminantInfo<T> single(HostMatrix<T> const& matrix) {
    bool const overwritten = random_.chance(0.5);
    int const layout = random_.index(3);
    if (layout == 0) return single<Kokkos::LayoutRight>(matrix, overwritten);
    if (layout == 1) return single<Kokkos::LayoutLeft>(matrix, overwritten);
    return single<Kokkos::LayoutStride>(matrix, overwritten);
  }

  void alone() {
    each_alone();
    auto const count = problem_.matrices.size();
    std::size_t const tried = std::min<std::size_t>(count, problem_.n > 130 ? 1 : 3);
    for (std::size_t k = 0; k < tried; ++k) {
      std::size_t const b = count <= tried ? k : pick(count);
      compare(single(problem_.matrices[b]), b, "alone");
    }
  }
  /// All of them where they lie, launched one after the other.
  void each_alone() {
    Exec const exec;
    auto const count = problem_.matrices.size();
    auto const A = guarded_batch<T, Kokkos::LayoutStride>(problem_.matrices, problem_.n);
    auto workspace = determinant_workspace<T>(exec, {1, problem_.n, true}, options_);
    DeviceInfos const infos = device_infos(exec, count);
    for (std::size_t b = 0; b < count; ++b)
      determinant_of_async(exec, A.part(b, 1), Kokkos::subview(infos, std::pair(b, b + 1)),
                           workspace);
    compare(on_host(exec, infos), "each alone");
  }

  /// Other neighbours, other places, another number of them.
  void others() {
    auto const count = problem_.matrices.size();
    if (count == 0) return;
    constexpr int sizes[] = {2, 3, 5, 9, 16, 17, 33, 65};
    double const work = std::pow(problem_.n, 3);
    int size = sizes[random_.index(8)];
    while (size > 2 && size * work > 4e7) size /= 2;
    std::vector<std::size_t> from;
    std::vector<HostMatrix<T>> matrices;
    for (int k = 0; k < size; ++k) {
      from.push_back(pick(count));
      matrices.push_back(problem_.matrices[from.back()]);
    }
    Infos const infos =
        random_.chance(0.5)
            ? batch<Kokkos::LayoutRight>(matrices, random_.chance(0.5), "with other neighbours")
            : batch<Kokkos::LayoutLeft>(matrices, random_.chance(0.5), "with other neighbours");
    for (std::size_t k = 0; k < from.size(); ++k)
      compare(infos[k], from[k],
              "at " + std::to_string(k) + " of " + std::to_string(size) + " others");
  }

  /// Among matrices of other orders.
  void ragged() {
    struct Item {
      std::size_t member;
      bool ours;
    };
    std::vector<Item> items;
    std::vector<HostMatrix<T>> strangers;
    std::size_t const ours = std::min<std::size_t>(problem_.matrices.size(), 40);
    for (std::size_t k = 0; k < ours; ++k) items.push_back({k, true});
    int const count = random_.index(5);
    for (int k = 0; k < count; ++k) {
      int const n = std::min(hostile_order(random_, 130), 2 * problem_.n + 8);
      SquareMatrix<T> stranger(random_, n);
      strangers.push_back(stranger.of_kind(random_.index(int(square_kinds.size()))));
      items.push_back({strangers.size() - 1, false});
    }
    random_.shuffle(items);
    std::vector<HostMatrix<T>> matrices;
    for (Item const& item : items)
      matrices.push_back(item.ours ? problem_.matrices[item.member] : strangers[item.member]);
    if (matrices.empty()) return;
    RaggedMatrices<T> list(matrices);
    Exec const exec;
    bool const overwritten = random_.chance(0.5);
    Infos const infos = overwritten
                            ? determinant_ragged(exec, list.members, list.A.view(), options_)
                            : determinant_of_ragged(exec, list.members, list.A.view(), options_);
    list.A.to_host();
    round_.expect(list.A.guards_intact(), problem_.name(0) + ", ragged: wrote beside A");
    std::string const way = "ragged at ";
    for (std::size_t k = 0; k < items.size(); ++k)
      if (items[k].ours) {
        compare(infos[k], items[k].member, way + std::to_string(k));
      } else {
        auto const by_itself = single(strangers[items[k].member]);
        round_.expect(same_bits(infos[k], by_itself),
                      problem_.name(0) + ", ragged stranger of order " +
                          std::to_string(strangers[items[k].member].rows) + ": " +
                          text_of(infos[k]) + ", alone " + text_of(by_itself));
      }
  }

  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(random_.index(static_cast<int>(count)));
  }

  Round& round_;
  Random& random_;
  DeterminantProblem<T> const& problem_;
  DeterminantOptions options_;
  Infos reference_;
};

}  // namespace carroll::test
