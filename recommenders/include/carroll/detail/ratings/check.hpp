// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/types.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// What a look at all triples says.
struct TripleFindings {
  std::int64_t first_bad = std::numeric_limits<std::int64_t>::max();
  std::int32_t largest_user = -1, largest_item = -1;
};

/// Copies the callers' triples, and looks for those that are none.
template <class Real, class MemorySpace, class Users, class Items, class Values>
struct ReadTriples {
  using value_type = TripleFindings;
  Users users;
  Items items;
  Values values;
  std::int32_t user_limit, item_limit;
  Triples<Real, MemorySpace> into;

  KOKKOS_FUNCTION void operator()(std::int64_t e, TripleFindings& found) const {
    std::int32_t const user = users(e), item = items(e);
    Real const value = values(e);
    into.rows(e) = user;
    into.cols(e) = item;
    into.values(e) = value;
    bool const good =
        user >= 0 && item >= 0 && user < user_limit && item < item_limit && Kokkos::isfinite(value);
    if (!good) found.first_bad = Kokkos::min(found.first_bad, e);
    found.largest_user = Kokkos::max(found.largest_user, user);
    found.largest_item = Kokkos::max(found.largest_item, item);
  }
  KOKKOS_FUNCTION void init(TripleFindings& found) const { found = TripleFindings{}; }
  KOKKOS_FUNCTION void join(TripleFindings& to, TripleFindings const& from) const {
    to.first_bad = Kokkos::min(to.first_bad, from.first_bad);
    to.largest_user = Kokkos::max(to.largest_user, from.largest_user);
    to.largest_item = Kokkos::max(to.largest_item, from.largest_item);
  }
};

/// The first place at which a rating repeats the one before, or the count where there is none.
template <class Real, class MemorySpace>
struct FirstRepeat {
  Triples<Real, MemorySpace> sorted;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    if (sorted.repeats(e)) first = Kokkos::min(first, e);
  }
};

/// The first triple of a user and an item from `begin` on.
template <class Users, class Items>
struct FirstOfPair {
  Users users;
  Items items;
  std::int32_t user, item;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    if (users(e) == user && items(e) == item) first = Kokkos::min(first, e);
  }
};

/// The first place at which a value is no finite number, or the count where there is none.
template <class Values>
struct FirstNonFinite {
  Values values;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    if (!Kokkos::isfinite(values(e))) first = Kokkos::min(first, e);
  }
};

/// The smallest of what the functor finds in [begin, end), `end` where that is nothing. Waits.
template <class ExecSpace, class Find>
std::int64_t first_found(ExecSpace const& exec, std::int64_t begin, std::int64_t end,
                         Find const& find) {
  std::int64_t first = end;
  Kokkos::parallel_reduce("carroll::ratings::find", Range<ExecSpace>(exec, begin, end), find,
                          Kokkos::Min<std::int64_t>(first));
  return first < end ? first : end;
}

/// One entry of a View, on the host. Waits.
template <class ExecSpace, class View>
typename View::non_const_value_type entry(ExecSpace const& exec, View const& view,
                                          std::int64_t index) {
  typename View::non_const_value_type value{};
  Kokkos::View<typename View::non_const_value_type, Kokkos::HostSpace,
               Kokkos::MemoryUnmanaged> const host(&value);
  Kokkos::deep_copy(exec, host, Kokkos::subview(view, index));
  exec.fence("carroll::ratings::entry");
  return value;
}

/// Says what is wrong with a triple.
template <class Real>
[[noreturn]] void refuse_triple(char const* function, std::int64_t e, std::int32_t user,
                                std::int32_t item, Real value, RatingsOptions const& options) {
  auto const index_text = [](char const* what, std::int32_t index, std::int32_t extent) {
    return std::string("its ") + what + " is " + std::to_string(index) + ", must be from 0 to " +
           std::to_string(extent - 1);
  };
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  std::int32_t const users = options.users > 0 ? options.users : most;
  std::int32_t const items = options.items > 0 ? options.items : most;
  std::string const what = user < 0 || user >= users   ? index_text("user", user, users)
                           : item < 0 || item >= items ? index_text("item", item, items)
                                                       : "its rating is " + std::to_string(value) +
                                                             ", must be a finite number";
  throw std::invalid_argument(std::string(function) + ": triple " + std::to_string(e) + ": " +
                              what);
}

}  // namespace carroll::detail
