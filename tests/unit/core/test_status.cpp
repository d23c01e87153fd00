// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/status.hpp>
#include <carroll/version.hpp>
#include <string>

namespace {

using carroll::Status;

static_assert(carroll::to_string(Status::success) == "success");

TEST(Status, NamesAreThoseOfTheEnumerators) {
  EXPECT_EQ(carroll::to_string(Status::success), "success");
  EXPECT_EQ(carroll::to_string(Status::not_converged), "not_converged");
  EXPECT_EQ(carroll::to_string(Status::non_finite), "non_finite");
  EXPECT_EQ(carroll::to_string(Status::overflow), "overflow");
  EXPECT_EQ(carroll::to_string(Status::singular), "singular");
  EXPECT_EQ(carroll::to_string(Status::breakdown), "breakdown");
  EXPECT_EQ(carroll::to_string(Status::not_certified), "not_certified");
}

TEST(Version, StringIsMadeOfTheNumbers) {
  std::string const expected = std::to_string(CARROLL_VERSION_MAJOR) + "." +
                               std::to_string(CARROLL_VERSION_MINOR) + "." +
                               std::to_string(CARROLL_VERSION_PATCH);
  EXPECT_EQ(expected, CARROLL_VERSION_STRING);
}

}  // namespace
