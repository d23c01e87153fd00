// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace carroll::test {

/// What the call throws, or "" if it does not.
template <class Call>
std::string complaint(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "";
}

/// The text begins with the name of a function of ours, or this one, and has all of these words.
inline void expect_words(std::string const& text, std::vector<std::string> const& words,
                         std::string const& function = "carroll::") {
  EXPECT_EQ(text.rfind(function, 0), 0U) << text;
  for (std::string const& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

}  // namespace carroll::test
