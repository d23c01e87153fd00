// SPDX-License-Identifier: BSD-3-Clause
#include "files/matrix_market/lines.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "files/words.hpp"

namespace carroll::tool {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

void MatrixMarketLines::split() {
  words_.clear();
  std::size_t k = 0;
  while (k < line_.size()) {
    while (k < line_.size() && is_blank(line_[k])) ++k;
    std::size_t const from = k;
    while (k < line_.size() && !is_blank(line_[k])) ++k;
    if (k > from) words_.push_back(std::string_view(line_).substr(from, k - from));
  }
}

std::vector<std::string> MatrixMarketLines::banner() {
  ++number_;
  file_.next_line(line_);
  split();
  std::vector<std::string> result;
  for (auto const word : words_) {
    std::string text(word);
    for (char& c : text) c = lower(c);
    result.push_back(text);
  }
  return result;
}

bool MatrixMarketLines::next() {
  while (file_.next_line(line_)) {
    ++number_;
    split();
    if (!words_.empty() && words_[0][0] != '%') return true;
  }
  words_.clear();
  return false;
}

std::int64_t MatrixMarketLines::whole_number(std::string_view word, std::string_view what) const {
  std::int64_t number = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc::result_out_of_range) {
    fail(std::string(what) + " " + in_quotes(word) + " is beyond 2^63");
  }
  if (error != std::errc{} || end != word.data() + word.size()) {
    fail(std::string(what) + " " + in_quotes(word) + " is not a whole number");
  }
  return number;
}

double MatrixMarketLines::value(std::string_view word, bool integer) const {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  if (integer &&
      digits.find_first_not_of("0123456789", digits[0] == '-' ? 1 : 0) != std::string_view::npos) {
    fail(in_quotes(word) + " is not a whole number, as the first line promises");
  }
  std::string fortran;  // Fortran writes the exponent of a double precision number as D
  if (auto const d = digits.find_first_of("dD"); d != std::string_view::npos) {
    fortran = digits;
    fortran[d] = 'e';
    digits = fortran;
  }
  double number = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    fail(in_quotes(word) + " is not a number");
  }
  if (error == std::errc::result_out_of_range) {
    // Too small and too large alike: only strtod tells which, and rounds what is too small.
    number = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::isinf(number)) fail(in_quotes(word) + " is beyond double precision");
  }
  return number;
}

void MatrixMarketLines::fail(std::string_view what) const {
  file_.fail("line " + std::to_string(number_) + ": " + std::string(what));
}

}  // namespace carroll::tool
