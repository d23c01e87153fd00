// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/none.hpp>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

/// From callers' Views to strided batches, checked. An entry point binds its Views once, before it
/// asks for memory or writes:
///
///   Binder bind("carroll::svd");
///   bind.input(batch.a, "A", A, {members, m, n});    // of rank 2 or 3; kernels read it
///   bind.output(batch.u, "U", U, {members, m, r});   // apart from all the others; or
///   carroll::none batch.infos = bind.infos(info, {members}).data;  // of rank 0 or 1
///
/// The extents that a View must have begin with the number of problems in the batch; a View of one
/// rank less is the one problem of a batch of 1.
namespace carroll::detail {

template <class View>
inline constexpr bool is_absent = std::same_as<std::remove_cvref_t<View>, None>;

/// Rank of a View, 0 for none.
template <class View>
consteval int rank_of() {
  if constexpr (Kokkos::is_view_v<View>)
    return int(View::rank);
  else
    return 0;
}

/// A strided View over Value that kernels can read.
template <class View, class ExecSpace, class Value>
inline constexpr bool is_view_of = false;
template <class View, class ExecSpace, class Value>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_view_of<View, ExecSpace, Value> =
    std::same_as<typename View::non_const_value_type, Value>;

/// One that kernels can write, too.
template <class View, class ExecSpace, class Value>
inline constexpr bool is_output_of = false;
template <class View, class ExecSpace, class Value>
requires is_view_of<View, ExecSpace, Value>
inline constexpr bool is_output_of<View, ExecSpace, Value> =
    !std::is_const_v<typename View::value_type>;

/// One of that rank for the infos of a call.
template <class View, class ExecSpace, class Info, int Rank>
inline constexpr bool is_info_view = is_output_of<View, ExecSpace, Info>&& rank_of<View>() == Rank;

inline std::string extents_text(std::span<std::int64_t const> extents) {
  std::string text;
  for (std::int64_t const extent : extents)
    text += (text.empty() ? "" : "×") + std::to_string(extent);
  return text;
}

template <class View>
std::array<std::int64_t, std::size_t{View::rank}> extents_of(View const& view) {
  std::array<std::int64_t, std::size_t{View::rank}> extents;
  for (std::size_t d = 0; d < extents.size(); ++d)
    extents[d] = static_cast<std::int64_t>(view.extent(d));
  return extents;
}

/// Extents of a View as they are in messages.
template <class View>
std::string view_extents_text(View const& view) {
  return extents_text(extents_of(view));
}

class Binder {
 public:
  /// `function`: the entry point, as its user called it.
  explicit Binder(char const* function) : function_(function) {}

  [[nodiscard]] char const* function() const { return function_; }

  /// A View that kernels read. carroll::none leaves `into` as it is.
  template <class T, class View, std::size_t N>
  void input(StridedBatch<T const>& into, char const* name, View const& view,
             std::int64_t const (&required)[N]) {
    bind_input(into, name, view, required, false);
  }

  /// One that all problems may share: of one rank less it is that of each of them.
  template <class T, class View, std::size_t N>
  void shared_input(StridedBatch<T const>& into, char const* name, View const& view,
                    std::int64_t const (&required)[N]) {
    bind_input(into, name, view, required, true);
  }

  /// A View that kernels write, which shares memory with none of those bound before or after.
  template <class T, class View, std::size_t N>
  void output(StridedBatch<T>& into, char const* name, View const& view,
              std::int64_t const (&required)[N]) {
    if constexpr (!is_absent<View>) {
      into = checked(name, view, required, false);
      note(name, into, true);
    }
  }

  /// A View of rank 1, without gaps, in which members of different extents stand one behind the
  /// other: long enough, where it is of `least` entries.
  template <class T, class View>
  void packed_input(StridedBatch<T const>& into, char const* name, View const& view,
                    std::int64_t least) {
    if constexpr (!is_absent<View>) {
      typename View::const_type const read_only = view;
      into = packed(name, read_only, least);
      note(name, into, false);
    }
  }
  template <class T, class View>
  void packed_output(StridedBatch<T>& into, char const* name, View const& view,
                     std::int64_t least) {
    if constexpr (!is_absent<View>) {
      into = packed(name, view, least);
      note(name, into, true);
    }
  }

  /// The View into which a call writes its infos.
  template <class View, std::size_t N>
  StridedBatch<typename View::value_type> infos(View const& view,
                                                std::int64_t const (&required)[N]) {
    return checked("info", view, required, false);
  }

 private:
  struct Argument {
    char const* name;
    Footprint memory;
    bool written;
  };

  template <class T, class View, std::size_t N>
  void bind_input(StridedBatch<T const>& into, char const* name, View const& view,
                  std::int64_t const (&required)[N], bool shared) {
    if constexpr (!is_absent<View>) {
      typename View::const_type const read_only = view;
      into = checked(name, read_only, required, shared);
      note(name, into, false);
    }
  }

  template <class View, std::size_t N>
  StridedBatch<typename View::value_type> checked(char const* name, View const& view,
                                                  std::int64_t const (&required)[N], bool shared) {
    constexpr std::size_t rank = View::rank;
    static_assert(rank == N || rank + 1 == N, "a batch, or one problem");
    check_extents(name, extents_of(view), required, shared);
    return strided_batch(view, rank == N);
  }

  /// Of a View of whatever type, for which this need not be compiled again: as many as are
  /// required, or all but the first, the number of problems.
  void check_extents(char const* name, std::span<std::int64_t const> extents,
                     std::span<std::int64_t const> required, bool shared) const {
    auto const of_one = required.last(extents.size());
    require(std::ranges::equal(extents, of_one), function_, [&] {
      return std::string(name) + " is " + extents_text(extents) + ", must be " +
             extents_text(of_one);
    });
    bool const is_batch = extents.size() == required.size();
    require(is_batch || shared || required[0] == 1, function_, [&] {
      return std::string(name) + " is for one problem, the workspace was made for a batch of " +
             std::to_string(required[0]);
    });
  }

  template <class View>
  StridedBatch<typename View::value_type> packed(char const* name, View const& view,
                                                 std::int64_t least) {
    check_packed(name, static_cast<std::int64_t>(view.extent(0)),
                 static_cast<std::int64_t>(view.stride(0)), least);
    return strided_batch(view, false);
  }
  void check_packed(char const* name, std::int64_t size, std::int64_t stride,
                    std::int64_t least) const {
    require(size >= least, function_, [&] {
      return std::string(name) + " has " + std::to_string(size) + " entries, the members need " +
             std::to_string(least);
    });
    require(size < 2 || stride == 1, function_, [&] {
      return std::string(name) + " has stride " + std::to_string(stride) +
             ", must be contiguous: stride 1";
    });
  }

  template <class T>
  void note(char const* name, StridedBatch<T> const& batch, bool written) {
    note({name, footprint(batch), written});
  }
  void note(Argument const& added) {
    for (int k = 0; k < count_; ++k) {
      Argument const& other = arguments_[static_cast<std::size_t>(k)];
      bool const apart =
          !(added.written || other.written) || !may_alias(other.memory, added.memory);
      require(apart, function_, [&] {
        return std::string(other.name) + " and " + added.name +
               " overlap; each must have memory of its own";
      });
    }
    assert(count_ < most_arguments);
    arguments_[static_cast<std::size_t>(count_++)] = added;
  }

  static constexpr int most_arguments = 16;
  char const* function_;
  std::array<Argument, most_arguments> arguments_;
  int count_ = 0;
};

/// One info for each problem of the workspace's batch.
template <class Batch, class InfoView, class Workspace>
void bind_infos(char const* function, Batch& batch, InfoView const& info,
                Workspace const& workspace) {
  auto const infos = Binder(function).infos(info, {workspace.extents().batch});
  batch.infos = infos.data;
  batch.info_stride = infos.strides[0];
}

}  // namespace carroll::detail
