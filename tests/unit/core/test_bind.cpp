// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using carroll::none;
using carroll::detail::Arena;
using carroll::detail::Binder;
using carroll::detail::StridedBatch;
using Host = Kokkos::DefaultHostExecutionSpace;
using Memory = Host::memory_space;

template <class Function>
std::string complaint(Function const& f) {
  try {
    f();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Binder, OneProblemAndABatchOfThem) {
  Kokkos::View<double***, Kokkos::LayoutRight, Memory> const batch("batch", 4, 3, 2);
  auto const one = Kokkos::subview(batch, 1, Kokkos::ALL, Kokkos::ALL);
  Binder bind("carroll::f");
  StridedBatch<double const> a;
  bind.input(a, "A", batch, {4, 3, 2});
  EXPECT_EQ(a.data, batch.data());
  EXPECT_EQ(a.extents[0], 4);
  EXPECT_EQ(a.strides[0], 6);
  EXPECT_EQ(a.strides[2], 1);
  bind.input(a, "A", one, {1, 3, 2});
  EXPECT_EQ(a.data, batch.data() + 6);
  EXPECT_EQ(a.extents[0], 1);
  EXPECT_EQ(a.strides[1], 2);
  bind.shared_input(a, "A", one, {4, 3, 2});
  EXPECT_EQ(a.strides[0], 0);
  bind.input(a, "A", none, {4, 3, 2});
  EXPECT_NE(a.data, nullptr);
}

TEST(Binder, ComplaintsNameTheFunctionTheArgumentAndItsExtents) {
  Kokkos::View<double***, Kokkos::LayoutRight, Memory> const batch("batch", 4, 3, 2);
  auto const one = Kokkos::subview(batch, 1, Kokkos::ALL, Kokkos::ALL);
  StridedBatch<double> x;
  auto const output = [&](auto const& view, std::int64_t members) {
    return complaint([&] { Binder("carroll::f").output(x, "X", view, {members, 3, 2}); });
  };
  EXPECT_EQ(output(batch, 4), "nothing");
  EXPECT_EQ(output(batch, 5), "carroll::f: X is 4×3×2, must be 5×3×2");
  EXPECT_EQ(output(Kokkos::subview(one, Kokkos::ALL, std::pair(0, 1)), 1),
            "carroll::f: X is 3×1, must be 3×2");
  EXPECT_EQ(output(one, 4),
            "carroll::f: X is for one problem, the workspace was made for a batch of 4");
}

TEST(Binder, OutputsHaveMemoryOfTheirOwn) {
  Kokkos::View<double*, Memory> const x("x", 10);
  auto const part = [&](int first, int last) { return Kokkos::subview(x, std::pair(first, last)); };
  StridedBatch<double const> in;
  StridedBatch<double> out;
  EXPECT_EQ(complaint([&] {
              Binder bind("carroll::f");
              bind.input(in, "a", part(0, 6), {1, 6});
              bind.input(in, "b", part(2, 8), {1, 6});
              bind.output(out, "c", part(8, 10), {1, 2});
              bind.input(in, "d", part(7, 9), {1, 2});
            }),
            "carroll::f: c and d overlap; each must have memory of its own");
  EXPECT_EQ(complaint([&] {
              Binder bind("carroll::f");
              bind.packed_input(in, "a", part(0, 6), 5);
              bind.packed_output(out, "b", part(5, 8), 3);
            }),
            "carroll::f: a and b overlap; each must have memory of its own");
}

TEST(Arena, PiecesOfOneAllocation) {
  char* bytes = nullptr;
  double* numbers = nullptr;
  int* nothing = nullptr;
  auto const memory = carroll::detail::allocate_arena(Host{}, "test", [&](Arena& arena) {
    bytes = arena.take<char>(129);
    nothing = arena.take_if<int>(false, 1000);
    numbers = arena.take<double>(2);
  });
  EXPECT_EQ(memory.extent(0), 384U);
  EXPECT_EQ(static_cast<void*>(bytes), memory.data());
  EXPECT_EQ(static_cast<void*>(numbers), memory.data() + 256);
  EXPECT_EQ(nothing, nullptr);
  numbers[1] = 3;
  carroll::detail::set_to_zero(Host{}, numbers, 2);
  Host{}.fence();
  EXPECT_EQ(numbers[1], 0);
}

}  // namespace
