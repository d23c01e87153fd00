// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>

namespace carroll::tool {

/// The page of help, the same with every version of CLI11, whose own formatters differ.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
    column_width(option_column);
  }

  std::string make_help(CLI::App const* app, std::string, CLI::AppFormatMode mode) const override {
    return tidy(app->get_description() + "\n\nUsage: carroll " + usage_ + "\n\n" +
                make_positionals(app) + "\n" + make_groups(app, mode) + "\n" +
                make_subcommands(app, mode) + "\n" + app->get_footer());
  }

 private:
  /// `text` without blanks at the ends of lines and without two empty lines in a row.
  static std::string tidy(std::string const& text) {
    std::string result;
    for (char const c : text) {
      if (c == '\n') {
        while (result.ends_with(' ')) result.pop_back();
        if (result.empty() || result.ends_with("\n\n")) continue;
      }
      result += c;
    }
    while (result.ends_with('\n') || result.ends_with(' ')) result.pop_back();
    return result + "\n";
  }

  static constexpr std::size_t option_column = 23;

  std::string usage_;
};

}  // namespace carroll::tool
