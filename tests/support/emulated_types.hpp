// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

namespace carroll::test {

namespace listing {

template <class First, class Second>
struct Joined;
template <class... First, class... Second>
struct Joined<::testing::Types<First...>, ::testing::Types<Second...>> {
  using Types = ::testing::Types<First..., Second...>;
};

}  // namespace listing

/// What a device's kernels are tested with on a host: one precision in every run, the other for
/// releases. Kernels of both are one template, which takes longest to compile where threads take
/// turns. With CARROLL_LONG_TESTS, which carroll_add_test's EMULATED defines, all are compiled.
#ifdef CARROLL_LONG_TESTS
template <class EveryRun, class Release>
using EmulatedTypes = typename listing::Joined<EveryRun, Release>::Types;
#else
template <class EveryRun, class Release>
using EmulatedTypes = EveryRun;
#endif

}  // namespace carroll::test
