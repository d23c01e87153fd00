// SPDX-License-Identifier: BSD-3-Clause
// Unusable arguments of integer_determinant are answered by std::invalid_argument that says what
// they are and what they must be.
#include <gtest/gtest.h>

#include <carroll/integer_determinant.hpp>
#include <functional>
#include <stdexcept>
#include <string>

#include "support/guarded_view.hpp"

namespace {

using carroll::test::Exec;
using carroll::test::Memory;

void expect_complaint(std::function<void()> const& f, std::string const& complaint) {
  try {
    f();
  } catch (std::invalid_argument const& error) {
    EXPECT_EQ(error.what(), "carroll::integer_determinant: " + complaint);
    return;
  } catch (std::exception const& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return;
  }
  ADD_FAILURE() << "no exception";
}

void expect_complaint_of_extents(std::size_t rows, std::size_t cols, std::string const& complaint) {
  Kokkos::View<int**, Memory> const A("carroll_test::A", rows, cols);
  expect_complaint([&] { (void)carroll::integer_determinant(Exec{}, A); }, complaint);
}

TEST(IntegerDeterminantMisuse, NotSquare) {
  expect_complaint_of_extents(3, 4, "A is 3×4, must be square");
  expect_complaint_of_extents(4, 3, "A is 4×3, must be square");
  expect_complaint_of_extents(0, 1, "A is 0×1, must be square");
}

TEST(IntegerDeterminantMisuse, NegativeEarlyTermination) {
  Kokkos::View<int**, Memory> const A("carroll_test::A", 3, 3);
  expect_complaint(
      [&] { (void)carroll::integer_determinant(Exec{}, A, {.early_termination = -1}); },
      "options.early_termination is -1, must be at least 0");
}

}  // namespace
