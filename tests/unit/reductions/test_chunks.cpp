// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/detail/reduction/thread/device_chunk.hpp>
#include <carroll/detail/reduction/thread/host_chunk.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <string>
#include <vector>

#include "unit/reductions/drawn_vectors.hpp"

/// A chunk's sum by a thread of a device without warps, and by a host's vector registers of each
/// size that there is: the same bits.
namespace {

using namespace carroll::test;
using carroll::detail::by_itself;
using carroll::detail::CompensatedSum;
using carroll::detail::HostChunk;
using carroll::detail::Largest;
using carroll::detail::Operation;
using carroll::detail::PlainSum;
using carroll::detail::ThreadChunk;

template <class Op, int Bytes>
void check_registers(std::vector<typename Op::T> const& x, std::vector<typename Op::T> const& y,
                     typename Op::Partial const& expected) {
  if (Bytes > carroll::detail::host_vector_bytes()) return;
  SCOPED_TRACE(std::to_string(Bytes) + " bytes");
  typename Op::Partial sum;
  by_itself<Bytes>(
      [&] { sum = HostChunk<Op, Bytes>::sum(x.data(), y.data(), static_cast<int>(x.size())); });
  expect_same(Op::info(sum, true), Op::info(expected, true));
}

template <class Op>
void check_chunk(std::vector<typename Op::T> const& x, std::vector<typename Op::T> const& y) {
  using T = typename Op::T;
  SCOPED_TRACE(name_of(Op::reduction));
  int const n = static_cast<int>(x.size());
  auto const alone = ThreadChunk<Op>::sum(x.data(), 1, y.data(), 1, n);
  std::vector<T> apart(3 * x.size(), T(-1));
  for (std::size_t i = 0; i < x.size(); ++i) apart[3 * i] = x[i];
  expect_same(Op::info(ThreadChunk<Op>::sum(apart.data(), 3, y.data(), 1, n), true),
              Op::info(alone, true));
  check_registers<Op, carroll::detail::compiled_vector_bytes>(x, y, alone);
#ifdef CARROLL_HOST_VECTOR_CHOICE
  check_registers<Op, 32>(x, y, alone);
#ifdef CARROLL_HOST_VECTORS_OF_64_BYTES
  check_registers<Op, 64>(x, y, alone);
#endif
#endif
}

template <class T>
class ReductionChunks : public ::testing::Test {};
TYPED_TEST_SUITE(ReductionChunks, ReductionScalars);

TYPED_TEST(ReductionChunks, AreTheSameBitsByAllThreads) {
  using T = TypeParam;
  for (int const n : {1, 2, 31, 33, 64, 100, 511, 1000, 1023, 1024})
    for (int k = 0; k < int(vector_kinds.size()); ++k) {
      SCOPED_TRACE(std::to_string(n) + " " +
                   std::string(vector_kinds[static_cast<std::size_t>(k)]));
      DrawnVectors<T> const drawn(static_cast<VectorKind>(k), n, 40);
      for_each_reduction([&](auto chosen) {
        constexpr Reduction R = chosen();
        if constexpr (R == Reduction::max_abs) {
          check_chunk<Operation<R, T, Largest>>(drawn.x, drawn.y);
        } else {
          check_chunk<Operation<R, T, PlainSum>>(drawn.x, drawn.y);
          check_chunk<Operation<R, T, CompensatedSum>>(drawn.x, drawn.y);
        }
      });
    }
}

}  // namespace
