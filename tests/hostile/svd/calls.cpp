// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/svd/calls.hpp"

#include <algorithm>
#include <carroll/svd.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "support/guarded_view.hpp"
#include "support/one_by_one.hpp"
#include "svd_instances.hpp"

namespace carroll::test {
namespace {

std::size_t to_size(int k) {
  return static_cast<std::size_t>(k);
}

int columns_of(SvdVectors wanted, int length, int least) {
  return static_cast<int>(carroll::detail::vector_columns(wanted, length, least));
}

template <class Real>
HostSvd<Real> empty_result(int rows, int cols, Wanted wanted) {
  int const least = std::min(rows, cols);
  HostSvd<Real> result;
  result.U = HostMatrix<Real>(rows, columns_of(wanted.u, rows, least));
  result.V = HostMatrix<Real>(cols, columns_of(wanted.v, cols, least));
  result.S.resize(to_size(least));
  return result;
}

template <class UView, class VView, class Function>
auto with_wanted(Wanted wanted, UView const& U, VView const& V, Function const& f) {
  bool const u = wanted.u != SvdVectors::none, v = wanted.v != SvdVectors::none;
  if (u && v) return f(U, V);
  if (u) return f(U, none);
  if (v) return f(none, V);
  return f(none, none);
}

template <class Real, class Layout>
void fill(GuardedView<Real, 3, Layout>& A, std::vector<HostMatrix<Real>> const& matrices,
          std::size_t first) {
  A.for_each_index([&](std::array<std::size_t, 3> index) {
    A(index) = matrices[(index[0] + first) % matrices.size()](static_cast<int>(index[1]),
                                                              static_cast<int>(index[2]));
  });
  A.to_device();
}

template <class Layout, class Real>
SvdOutcome<Real> call_uniform_as(std::vector<HostMatrix<Real>> const& matrices,
                                 SvdCall const& call) {
  SvdOutcome<Real> outcome;
  int const rows = matrices.front().rows, cols = matrices.front().cols;
  for (std::size_t b = 0; b < matrices.size(); ++b)
    outcome.members.push_back(empty_result<Real>(rows, cols, call.wanted));
  HostSvd<Real> const& shape = outcome.members.front();
  std::size_t const batch = matrices.size();
  GuardedView<Real, 3, Layout> A({batch, to_size(rows), to_size(cols)});
  GuardedView<Real, 3, Layout> U({batch, to_size(rows), to_size(shape.U.cols)});
  GuardedView<Real, 3, Layout> V({batch, to_size(cols), to_size(shape.V.cols)});
  GuardedView<Real, 2, Layout> S({batch, shape.S.size()});
  Exec const exec;
  std::size_t const together = call.one_by_one ? 1 : batch;
  auto workspace = carroll::svd_workspace<Real>(exec,
                                                {.batch = static_cast<std::int64_t>(together),
                                                 .rows = rows,
                                                 .cols = cols,
                                                 .u = call.wanted.u,
                                                 .v = call.wanted.v},
                                                call.options);
  std::vector<SvdInfo<Real>> infos;
  [[maybe_unused]] auto const decompose_each = [&](auto const& a, auto const& u, auto const& s,
                                                   auto const& v) {
    infos = infos_one_by_one<SvdInfo<Real>>(exec, batch, [&](std::size_t b, auto const& info) {
      with_wanted(
          call.wanted, u.part(b, 1), v.part(b, 1), [&](auto const& left, auto const& right) {
            carroll::svd_async(exec, a.part(b, 1), left, s.part(b, 1), right, info, workspace);
          });
    });
  };
  auto const decompose_all = [&] {
    if (call.one_by_one) {
      if constexpr (has_parts<Layout>) decompose_each(A, U, S, V);
    } else {
      with_wanted(call.wanted, U.view(), V.view(), [&](auto const& u, auto const& v) {
        auto const found = carroll::svd(exec, A.view(), u, S.view(), v, workspace);
        infos.assign(found.begin(), found.end());
      });
    }
  };
  if (call.used_workspace) {
    fill(A, matrices, 1);
    decompose_all();
  }
  fill(A, matrices, 0);
  decompose_all();
  for (std::size_t b = 0; b < batch; ++b) outcome.members[b].info = infos.at(b);
  A.to_host();
  U.to_host();
  S.to_host();
  V.to_host();
  U.for_each_index([&](std::array<std::size_t, 3> k) {
    outcome.members[k[0]].U(static_cast<int>(k[1]), static_cast<int>(k[2])) = U(k);
  });
  V.for_each_index([&](std::array<std::size_t, 3> k) {
    outcome.members[k[0]].V(static_cast<int>(k[1]), static_cast<int>(k[2])) = V(k);
  });
  S.for_each_index([&](std::array<std::size_t, 2> k) { outcome.members[k[0]].S[k[1]] = S(k); });
  bool same = true;
  A.for_each_index([&](std::array<std::size_t, 3> k) {
    Real const is = A(k);
    Real const was = matrices[k[0]](static_cast<int>(k[1]), static_cast<int>(k[2]));
    same = same && std::memcmp(&is, &was, sizeof(Real)) == 0;
  });
  if (!same || !A.guards_intact()) outcome.damage += " A";
  if (!U.guards_intact()) outcome.damage += " U";
  if (!S.guards_intact()) outcome.damage += " S";
  if (!V.guards_intact()) outcome.damage += " V";
  return outcome;
}

/// Where members of given sizes stand, in random order and with gaps. Returns the size of all.
std::int64_t place(std::vector<std::int64_t> const& sizes, std::vector<std::int64_t>& places,
                   Random& random) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  places.resize(sizes.size());
  std::int64_t end = 0;
  for (std::size_t const k : order) {
    places[k] = end + random.index(4);
    end = places[k] + sizes[k];
  }
  return end;
}

/// One array of a ragged batch.
template <class Real>
class Packed {
 public:
  Packed(std::vector<std::int64_t> const& sizes, Random& random)
      : sizes_(sizes), view_({to_size(place(sizes, places_, random))}) {}

  [[nodiscard]] std::int64_t offset(std::size_t k) const { return places_[k]; }
  [[nodiscard]] auto view() const { return view_.view(); }

  void set(std::size_t k, std::vector<Real> const& data) {
    for (std::size_t i = 0; i < data.size(); ++i) view_({index(k, i)}) = data[i];
  }
  void to_device() { view_.to_device(); }
  void to_host() { view_.to_host(); }
  [[nodiscard]] std::vector<Real> get(std::size_t k) const {
    std::vector<Real> data;
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes_[k]); ++i)
      data.push_back(view_({index(k, i)}));
    return data;
  }
  /// After to_host(): are the gaps as they were?
  [[nodiscard]] bool intact() const {
    std::vector<char> mine(view_.view().extent(0), 0);
    for (std::size_t k = 0; k < sizes_.size(); ++k)
      std::fill_n(mine.begin() + places_[k], sizes_[k], 1);
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (mine[i] == 0 && view_({i}) != view_.guard) return false;
    return view_.guards_intact();
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t k, std::size_t i) const {
    return static_cast<std::size_t>(places_[k]) + i;
  }
  std::vector<std::int64_t> sizes_, places_;
  GuardedView<Real, 1, Kokkos::LayoutRight> view_;
};

}  // namespace

char const* to_string(Arrangement arrangement) {
  return arrangement == Arrangement::left    ? "LayoutLeft"
         : arrangement == Arrangement::right ? "LayoutRight"
                                             : "LayoutStride";
}

template <class Real>
SvdOutcome<Real> call_uniform(std::vector<HostMatrix<Real>> const& matrices, SvdCall const& call) {
  switch (call.arrangement) {
    case Arrangement::left: return call_uniform_as<Kokkos::LayoutLeft>(matrices, call);
    case Arrangement::right: return call_uniform_as<Kokkos::LayoutRight>(matrices, call);
    default: return call_uniform_as<Kokkos::LayoutStride>(matrices, call);
  }
}

template <class Real>
SvdOutcome<Real> call_ragged(std::vector<HostMatrix<Real>> const& matrices, SvdCall const& call,
                             Random& random) {
  SvdOutcome<Real> outcome;
  std::vector<std::int64_t> a, u, s, v;
  for (HostMatrix<Real> const& A : matrices) {
    outcome.members.push_back(empty_result<Real>(A.rows, A.cols, call.wanted));
    HostSvd<Real> const& shape = outcome.members.back();
    a.push_back(static_cast<std::int64_t>(A.data.size()));
    u.push_back(static_cast<std::int64_t>(shape.U.data.size()));
    s.push_back(static_cast<std::int64_t>(shape.S.size()));
    v.push_back(static_cast<std::int64_t>(shape.V.data.size()));
  }
  Packed<Real> A(a, random), U(u, random), S(s, random), V(v, random);
  std::vector<carroll::SvdMember> members;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    A.set(k, matrices[k].data);
    members.push_back({.rows = matrices[k].rows,
                       .cols = matrices[k].cols,
                       .a = A.offset(k),
                       .u = U.offset(k),
                       .s = S.offset(k),
                       .v = V.offset(k)});
  }
  A.to_device();
  Exec const exec;
  auto const infos =
      with_wanted(call.wanted, U.view(), V.view(), [&](auto const& left, auto const& right) {
        return carroll::svd_ragged(exec, members, A.view(), left, S.view(), right, call.options,
                                   call.wanted.u, call.wanted.v);
      });
  U.to_host();
  S.to_host();
  V.to_host();
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    outcome.members[k].info = infos[k];
    outcome.members[k].U.data = U.get(k);
    outcome.members[k].S = S.get(k);
    outcome.members[k].V.data = V.get(k);
  }
  if (!U.intact()) outcome.damage += " U";
  if (!S.intact()) outcome.damage += " S";
  if (!V.intact()) outcome.damage += " V";
  return outcome;
}

#define CARROLL_TEST_INSTANTIATE(Real)                                               \
  template SvdOutcome<Real> call_uniform<Real>(std::vector<HostMatrix<Real>> const&, \
                                               SvdCall const&);                      \
  template SvdOutcome<Real> call_ragged<Real>(std::vector<HostMatrix<Real>> const&,  \
                                              SvdCall const&, Random&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
