// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/als.hpp>
#include <carroll/distributed/als.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "distributed/packed.hpp"
#include "recommenders/factors/oracle.hpp"
#include "support/copy.hpp"

/// Ratings that ranks share, and what one rank makes of all of them.
namespace carroll::test::shared_ratings {

namespace distributed = carroll::distributed;
using Communicator = distributed::Communicator<Exec>;
template <class Real>
using Model = FactorModel<Real, Memory>;
template <class Real>
using FactorView = typename Model<Real>::Factors;

inline Communicator world() {
  return Communicator::duplicate_from_raw(MPI_COMM_WORLD);
}

/// What a rank has of all ratings.
template <class Real>
struct Share {
  Communicator comm;
  distributed::AlsLayout layout;
  RatingRows<Real, Memory> by_user, by_item;
  std::int64_t users_begin, users_end, items_begin, items_end;

  Share(Communicator const& ranks, distributed::AlsLayout const& shares,
        Ratings<Real, Memory> const& ratings)
      : comm(ranks),
        layout(shares),
        users_begin(layout.users.begin(comm.rank())),
        users_end(layout.users.end(comm.rank())),
        items_begin(layout.items.begin(comm.rank())),
        items_end(layout.items.end(comm.rank())) {
    by_user = row_range(comm.exec(), ratings.by_user(), users_begin, users_end);
    by_item = row_range(comm.exec(), ratings.by_item(), items_begin, items_end);
  }
  AlsInfo als(Model<Real>& model, AlsOptions const& options) const {
    return distributed::als(comm, layout, by_user, by_item, model, options);
  }
};

/// By work; evenly; all on the last rank; all users on the first one, all items on the last.
template <class Real>
std::vector<distributed::AlsLayout> layouts(int ranks, Ratings<Real, Memory> const& ratings,
                                            std::int64_t factors) {
  auto const all_on = [&](int one, std::int64_t rows) {
    distributed::BlockLayout layout;
    for (int rank = 0; rank < ranks; ++rank) layout.offsets.push_back(rank < one ? 0 : rows);
    return layout;
  };
  std::int64_t const users = ratings.users(), items = ratings.items();
  return {distributed::als_layout(Exec(), ranks, ratings, factors),
          {distributed::block_layout(ranks, users), distributed::block_layout(ranks, items)},
          {all_on(ranks - 1, users), all_on(ranks - 1, items)},
          {all_on(0, users), all_on(ranks - 1, items)}};
}

/// A model to begin with, the same on all ranks.
template <class Real>
Model<Real> start(Ratings<Real, Memory> const& ratings, int k, AlsOptions const& options) {
  Random random(17);
  auto const fill = [&](auto const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.span(); ++i)
      host.data()[i] = static_cast<Real>(random.normal());
    carroll::test::deep_copy(view, host);
    return view;
  };
  auto const users = static_cast<std::size_t>(ratings.users());
  auto const items = static_cast<std::size_t>(ratings.items());
  auto const factors = static_cast<std::size_t>(k);
  Model<Real> model;
  model.U = fill(FactorView<Real>("U", users, factors));
  model.V = fill(FactorView<Real>("V", items, factors));
  if (options.biases == AlsBiases::fitted) {
    model.user_bias = fill(typename Model<Real>::Biases("user_bias", users));
    model.item_bias = fill(typename Model<Real>::Biases("item_bias", items));
  }
  model.mean = Real(3.25);
  return model;
}

/// NaN in all rows but those from `begin` on, before `end`: what other ranks' rows are is no
/// matter.
template <class View>
void spoil(View const& view, std::int64_t begin, std::int64_t end) {
  using Value = typename View::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(view);
  carroll::test::deep_copy(host, view);
  auto const width = view.extent(0) > 0 ? host.span() / view.extent(0) : 0;
  for (std::size_t i = 0; i < host.span(); ++i) {
    auto const row = static_cast<std::int64_t>(i / width);
    if (row < begin || row >= end) host.data()[i] = std::numeric_limits<Value>::quiet_NaN();
  }
  carroll::test::deep_copy(view, host);
}

inline std::string bytes_of(std::vector<double> const& numbers) {
  return {reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(double)};
}

template <class Real>
std::string bytes_of(Model<Real> const& model) {
  return packed_bytes(model.U) + packed_bytes(model.V) + packed_bytes(model.user_bias) +
         packed_bytes(model.item_bias) + bytes_of({static_cast<double>(model.mean)});
}

inline void expect_same(AlsInfo const& info, AlsInfo const& wanted) {
  EXPECT_EQ(info.status, wanted.status);
  EXPECT_EQ(info.iterations, wanted.iterations);
  EXPECT_EQ(info.cold_users, wanted.cold_users);
  EXPECT_EQ(info.cold_items, wanted.cold_items);
  EXPECT_EQ(info.singular_rows, wanted.singular_rows);
  EXPECT_EQ(bytes_of({info.residual}), bytes_of({wanted.residual}));
  EXPECT_EQ(bytes_of(info.objectives), bytes_of(wanted.objectives));
}

/// Ranks' results against those of one, for all layouts; the info.
template <class Real>
AlsInfo expect_same_bits(Ratings<Real, Memory> const& ratings, int k, AlsOptions const& options) {
  auto const comm = world();
  bool const given = options.start == AlsStart::given;
  auto alone = start<Real>(ratings, k, options);
  auto const wanted = carroll::als(Exec(), ratings, alone, options);
  int number = 0;
  for (auto const& layout : layouts(comm.size(), ratings, k)) {
    SCOPED_TRACE("layout " + std::to_string(number++));
    Share<Real> const share(comm, layout, ratings);
    auto model = start<Real>(ratings, k, options);
    spoil(model.U, share.users_begin, given ? share.users_end : share.users_begin);
    spoil(model.V, share.items_begin, given ? share.items_end : share.items_begin);
    if (model.user_bias.extent(0) > 0) spoil(model.user_bias, share.users_begin, share.users_end);
    if (model.item_bias.extent(0) > 0) spoil(model.item_bias, share.items_begin, share.items_end);
    expect_same(share.als(model, options), wanted);
    EXPECT_EQ(bytes_of(model), bytes_of(alone)) << "rank " << comm.rank();
  }
  return wanted;
}

inline std::string text(AlsOptions const& options) {
  return std::string(to_string(options.feedback)) + ", biases " +
         std::string(to_string(options.biases)) + ", " + std::string(to_string(options.solver)) +
         ", " + std::string(to_string(options.start));
}

}  // namespace carroll::test::shared_ratings
