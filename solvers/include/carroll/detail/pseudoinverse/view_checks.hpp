// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <initializer_list>
#include <string>

/// What the checks of callers' Views have in common.
namespace carroll::detail {

/// A View whose trailing extents must be `required`; one of the batch's rank has the frames first,
/// one of less is that of all frames.
template <class View>
auto bind_arrow_view(char const* function, char const* name, View const& view, bool per_frame,
                     std::initializer_list<long long> required) {
  constexpr int rank = int(View::rank);
  auto batch = strided_batch(view, rank == 3 || (per_frame && rank == 2 && required.size() == 2));
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
