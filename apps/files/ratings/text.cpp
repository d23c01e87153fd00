// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "files/ratings/formats.hpp"
#include "files/words.hpp"

namespace carroll::tool {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Lines cut into fields. What separates them is found in the first line that is not blank.
class RatingLines {
 public:
  explicit RatingLines(InputFile& file) : file_(file) {}

  bool next() {
    while (file_.next_line(line_)) {
      ++number_;
      if (number_ == 1 && line_.starts_with(byte_order_mark))
        line_.erase(0, byte_order_mark.size());
      if (line_.find('\0') != std::string::npos) fail("is no text: there is a byte 0");
      if (trimmed(line_).empty()) continue;
      if (separator_.empty()) find_separator();
      split();
      return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<std::string_view> const& fields() const { return fields_; }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[noreturn]] void fail(std::string const& what) const {
    file_.fail("line " + std::to_string(number_) + ": " + what);
  }

 private:
  void find_separator() {
    for (std::string_view const candidate : {"::", "\t", ",", ";", " "})
      if (trimmed(line_).find(candidate) != std::string_view::npos) {
        separator_ = candidate;
        return;
      }
    fail(in_quotes(line_) + " is no user, item and rating");
  }

  void split() {
    fields_.clear();
    std::string_view rest = trimmed(line_);
    if (separator_ == " ") {
      while (!rest.empty()) {
        std::size_t const end = std::min(rest.find_first_of(" \t"), rest.size());
        fields_.push_back(rest.substr(0, end));
        rest = trimmed(rest.substr(end));
      }
      return;
    }
    // Tabs at the ends are separators, too.
    if (separator_ == "\t")
      rest = std::string_view(line_).substr(0, line_.find_last_not_of('\r') + 1);
    bool const may_quote = separator_ == "," || separator_ == ";";
    texts_.clear();
    for (bool more = true; more;) {
      if (may_quote && rest.starts_with('"')) {
        more = take_quoted(rest);
        continue;
      }
      std::size_t const end = rest.find(separator_);
      more = end != std::string_view::npos;
      fields_.push_back(trimmed(rest.substr(0, end)));
      if (more) rest.remove_prefix(end + separator_.size());
    }
  }

  /// Takes a field in quotes, two of which stand for one; false where it is the last.
  bool take_quoted(std::string_view& rest) {
    std::string& text = texts_.emplace_back();
    std::size_t k = 1;
    for (;; ++k) {
      if (k >= rest.size()) fail("a quote is not closed");
      if (rest[k] != '"') {
        text += rest[k];
      } else if (k + 1 < rest.size() && rest[k + 1] == '"') {
        text += rest[k++];
      } else {
        break;
      }
    }
    rest.remove_prefix(k + 1);
    if (!rest.empty() && !rest.starts_with(separator_)) fail("a quote is followed by more");
    fields_.push_back(text);
    if (rest.empty()) return false;
    rest.remove_prefix(separator_.size());
    return true;
  }

  InputFile& file_;
  std::int64_t number_ = 0;
  std::string line_;
  std::string separator_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> texts_;  ///< of fields in quotes; they stay where they are
};

/// NaN where it is none.
double number_in(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nan("");
  return error == std::errc{} ? value : HUGE_VAL;
}

bool says_user(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.find("user") != std::string::npos;
}

}  // namespace

void read_text_ratings(InputFile& file, TakeRating const& take) {
  RatingLines lines(file);
  bool first = true, with_values = true, any = false;
  while (lines.next()) {
    auto const& fields = lines.fields();
    if (first) {
      first = false;
      with_values = fields.size() > 2;
      bool const header =
          with_values ? std::isnan(number_in(fields[2])) && fields[2] != "nan" && fields[2] != "NaN"
                      : says_user(fields[0]);
      if (header) continue;
    }
    std::size_t const least = with_values ? 3 : 2;
    if (fields.size() < least || (!with_values && fields.size() != 2))
      lines.fail("there are " + std::to_string(fields.size()) + " fields, expected " +
                 (with_values ? "user, item and rating" : "user and item, as before"));
    if (fields[0].empty() || fields[1].empty())
      lines.fail(std::string("the ") + (fields[0].empty() ? "user" : "item") + " is missing");
    double const value = with_values ? number_in(fields[2]) : 1;
    if (!std::isfinite(value)) lines.fail(in_quotes(fields[2]) + " is no finite rating");
    take(fields[0], fields[1], value, lines.number());
    any = true;
  }
  if (!any) file.fail("has no ratings");
}

}  // namespace carroll::tool
