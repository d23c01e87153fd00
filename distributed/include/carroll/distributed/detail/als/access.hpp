// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/als/driver.hpp>
#include <carroll/distributed/als/workspace.hpp>
#include <carroll/distributed/detail/als/checks.hpp>
#include <carroll/distributed/detail/als/sharing.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::distributed {

namespace detail {

/// The inside of workspaces of alternating least squares over ranks.
struct AlsAccess {
  template <class ExecSpace, class Rows>
  static auto make(char const* function, Communicator<ExecSpace> const& comm,
                   AlsLayout const& layout, Rows const& by_user, Rows const& by_item,
                   std::int64_t factors, AlsOptions const& options) {
    using Real = typename Rows::value_type;
    AlsWorkspace<ExecSpace, Real> w;
    w.layout_ = layout;
    w.options_ = options;
    w.by_user_ = by_user.rating_count();
    w.by_item_ = by_item.rating_count();
    Signature signature;
    w.signature_ = sign(signature, options)
                       .with(layout.users)
                       .with(layout.items)
                       .with(factors)
                       .with(int{sizeof(Real)})
                       .value();
    auto const& exec = comm.exec();
    comm.agree(function, w.signature_, [&] {
      require_layout(function, comm.size(), layout);
      auto const &users = layout.users, &items = layout.items;
      int const me = comm.rank();
      require_readable_rows(function, "by_user", exec, by_user, users.count(me), items.length());
      require_readable_rows(function, "by_item", exec, by_item, items.count(me), users.length());
      carroll::detail::require_usable<Real>(function, factors, options);
      w.memory_.make(exec, "carroll::distributed::als::workspace", by_user, by_item,
                     static_cast<int>(factors), options);
    });
    AlsRatings all{0, 0};
    for (auto const& of_rank : comm.all_gather_value(AlsRatings{w.by_user_, w.by_item_})) {
      all.by_user += of_rank.by_user;
      all.by_item += of_rank.by_item;
    }
    w.ratings_ = all.by_user;
    comm.agree(function, w.signature_, [&] { require_same_ratings(function, all); });
    return w;
  }

  /// `bind()`: both sides, checked, and the model's mean, which is set.
  template <class ExecSpace, class Real, class Rows, class Bind>
  static AlsInfo run(char const* function, Communicator<ExecSpace> const& comm, Rows const& by_user,
                     Rows const& by_item, AlsWorkspace<ExecSpace, Real> const& w, Real& mean,
                     Bind const& bind) {
    AlsInfo info;
    Sides<Real> sides;
    Signature signature;
    signature.with(w.signature_);
    bool const given = w.options_.start == AlsStart::given;
    if (given && (w.options_.biases == AlsBiases::mean || w.options_.biases == AlsBiases::fitted))
      signature.with(static_cast<double>(mean));
    comm.agree(function, signature.value(), [&] {
      auto const &users = w.layout_.users, &items = w.layout_.items;
      require_layout(function, comm.size(), w.layout_);
      int const me = comm.rank();
      require_rows(function, "by_user", by_user, users.count(me), items.length());
      require_rows(function, "by_item", by_item, items.count(me), users.length());
      require_same_ratings(function, "by_user", by_user.rating_count(), w.by_user_);
      require_same_ratings(function, "by_item", by_item.rating_count(), w.by_item_);
      sides = bind();
    });
    AlsSharing<ExecSpace> const sharing{comm, w.layout_, w.ratings_};
    carroll::detail::AlsCall<ExecSpace, Real, AlsSharing<ExecSpace>> call(
        comm.exec(), by_user, by_item, sides.users, sides.items, w.memory_, w.options_, sharing);
    if (given) {
      call.share_start();
      auto const is_finite = [&](auto const& side, std::int64_t rows) {
        using Whole = Kokkos::View<Real const**, Kokkos::LayoutRight,
                                   typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
        return carroll::detail::all_finite(
            comm.exec(),
            Whole(side.x, static_cast<std::size_t>(rows), static_cast<std::size_t>(w.factors())));
      };
      if (!is_finite(sides.users, w.layout_.users.length()) ||
          !is_finite(sides.items, w.layout_.items.length())) {
        call.refuse(info);
        return info;
      }
    }
    return call.run(mean);
  }

  template <class Real>
  struct Sides {
    carroll::detail::FactorSide<Real> users, items;
  };
};

}  // namespace detail

template <ExecutionSpace ExecSpace, class Real>
AlsWorkspace<ExecSpace, Real> als_workspace(
    Communicator<ExecSpace> const& comm, AlsLayout const& layout,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, std::int64_t factors,
    AlsOptions const& options) {
  return detail::AlsAccess::make("carroll::distributed::als_workspace", comm, layout, by_user,
                                 by_item, factors, options);
}

}  // namespace carroll::distributed
