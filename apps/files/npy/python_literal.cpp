// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy/python_literal.hpp"

#include <charconv>
#include <stdexcept>
#include <system_error>

namespace carroll::tool {

namespace {

/// Walks through the text from left to right. Nothing is ever evaluated, and the nesting of a
/// structured type is skipped with a counter, so that no header can exhaust the stack.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  NpyDictionary dictionary() {
    NpyDictionary result;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      std::string const key = string();
      expect(':');
      if (key == "descr") {
        mark(has_descr, key);
        if (is_quote(peek())) {
          result.descr = string();
        } else {
          skip_brackets();
        }
      } else if (key == "fortran_order") {
        mark(has_order, key);
        result.fortran_order = boolean();
      } else if (key == "shape") {
        mark(has_shape, key);
        result.shape = tuple();
      } else {
        fail("has the unknown key '" + key + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0' || position_ != text_.size()) fail("goes on after its closing brace");
    if (!has_descr) fail("lacks the key 'descr'");
    if (!has_order) fail("lacks the key 'fortran_order'");
    if (!has_shape) fail("lacks the key 'shape'");
    return result;
  }

 private:
  [[noreturn]] static void fail(std::string const& what) {
    throw std::runtime_error("the header " + what);
  }
  static void mark(bool& seen, std::string const& key) {
    if (seen) fail("has the key '" + key + "' twice");
    seen = true;
  }
  static bool is_quote(char c) { return c == '\'' || c == '"'; }

  /// The next character that is not blank; '\0' at the end.
  char peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r')) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || position_ == text_.size()) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("is not a Python dictionary: '") + c + "' expected");
  }

  std::string string() {
    char const quote = peek();
    if (!is_quote(quote)) fail("is not a Python dictionary: a string expected");
    std::size_t const from = ++position_;
    std::size_t const to = text_.find(quote, from);
    if (to == std::string_view::npos) fail("has a string without an end");
    position_ = to + 1;
    return std::string(text_.substr(from, to - from));
  }

  bool boolean() {
    peek();
    for (bool const value : {true, false}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return value;
      }
    }
    fail("has a 'fortran_order' that is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      char const* const from = text_.data() + position_;
      auto const [to, error] = std::from_chars(from, text_.data() + text_.size(), value);
      if (error == std::errc::result_out_of_range) fail("has an extent beyond 2^63");
      if (error != std::errc{} || value < 0) fail("has a shape that is not a tuple of extents");
      position_ += static_cast<std::size_t>(to - from);
      if (peek() == 'L') ++position_;  // Python 2 wrote long integers as 3L
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  /// Skips a list or tuple, whatever it holds.
  void skip_brackets() {
    int depth = 0;
    do {
      char const c = peek();
      if (is_quote(c)) {
        string();
        continue;
      }
      if (position_ == text_.size()) fail("ends inside 'descr'");
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++position_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text) {
  return Scanner(text).dictionary();
}

}  // namespace carroll::tool
