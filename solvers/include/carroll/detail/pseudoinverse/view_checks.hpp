// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>  // carroll::none
#include <concepts>
#include <initializer_list>
#include <string>
#include <type_traits>

/// What the checks of callers' Views have in common.
namespace carroll::detail {

template <class View>
inline constexpr bool is_absent = std::same_as<std::remove_cvref_t<View>, None>;

/// A strided View that kernels can read, of the wanted rank, over Value.
template <class View, class ExecSpace, class Value>
inline constexpr bool is_view_of = false;
template <class View, class ExecSpace, class Value>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_view_of<View, ExecSpace, Value> =
    std::same_as<typename View::non_const_value_type, Value>;

template <class View, class ExecSpace, class Value>
inline constexpr bool is_output_of = false;
template <class View, class ExecSpace, class Value>
requires is_view_of<View, ExecSpace, Value>
inline constexpr bool is_output_of<View, ExecSpace, Value> =
    !std::is_const_v<typename View::value_type>;

/// Rank of a View, 0 for none.
template <class View>
consteval int rank_of() {
  if constexpr (Kokkos::is_view_v<View>)
    return int(View::rank);
  else
    return 0;
}

/// Extents of a View as they are in messages.
template <class View>
std::string view_extents_text(View const& view) {
  std::string text;
  for (int d = 0; d < int(View::rank); ++d)
    text += (d > 0 ? "×" : "") + std::to_string(view.extent(d));
  return text;
}

/// A View whose trailing extents must be `required`; one of the batch's rank has the frames first,
/// one of less is that of all frames.
template <class View>
auto bind_arrow_view(char const* function, char const* name, View const& view, bool per_frame,
                     std::initializer_list<long long> required) {
  auto batch = strided_batch(view, per_frame && int(View::rank) == 2 && required.size() == 2);
  bool same = int(View::rank) == static_cast<int>(required.size());
  int d = 0;
  for (long long const extent : required)
    same = same && d < int(View::rank) && static_cast<long long>(view.extent(d++)) == extent;
  require(same, function, [&] {
    return std::string(name) + " is " + view_extents_text(view) + ", must be " +
           extents_text(required);
  });
  return batch;
}

/// The output must not share memory with an input: kernels read while others write.
template <class T, class U>
void require_distinct(char const* function, char const* output, StridedBatch<T> const& out,
                      char const* input, StridedBatch<U> const& in) {
  require(!may_alias(out, in), function,
          [&] { return std::string(output) + " shares memory with " + input; });
}

}  // namespace carroll::detail
