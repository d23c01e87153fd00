// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace CLI {
class App;
}

namespace carroll::tool {

/// The options of one command, each with the variable that takes its value. Only the definitions of
/// these functions, in arguments.cpp, include CLI11, which is slow to compile. Lines of help are
/// broken by hand so that it fits into 80 columns with any version of CLI11: texts of options
/// have 55.
class CommandOptions {
 public:
  explicit CommandOptions(CLI::App& app) : app_(app) {}

  /// What has to be given, without a name of an option.
  void operand(std::string const& name, std::string& target, std::string const& help);

  /// Any number of them, at least one.
  void operands(std::string const& name, std::vector<std::string>& target, std::string const& help);

  void flag(std::string const& name, bool& target, std::string const& help);

  void text(std::string const& name, std::string& target, std::string const& type,
            std::string const& help);

  void one_of(std::vector<std::string> const& choices, std::string const& name, std::string& target,
              std::string const& type, std::string const& help);

  /// A number that is not NaN. `allowed` says which ones are right, `description` names them where
  /// one is not.
  template <class Target>
  void number(std::string const& name, Target& target, std::string const& type,
              std::function<bool(double)> allowed, std::string const& description,
              std::string const& help) {
    set_number(
        name, [&target](double x) { target = x; }, type, std::move(allowed), description, help);
  }

  /// One above 0, at most `most`, which is told as it is written.
  template <class Target>
  void positive_number(std::string const& name, Target& target, std::string const& type,
                       std::string const& most, std::string const& help) {
    number(
        name, target, type, [limit = std::stod(most)](double x) { return x > 0 && x <= limit; },
        "a number above 0, at most " + most, help);
  }

  /// One from `least`.
  template <class Target>
  void whole_number(std::string const& name, Target& target, std::string const& type, int least,
                    std::string const& help) {
    set_whole_number(
        name, [&target](int n) { target = n; }, type, least, help);
  }
  template <class Target>
  void whole_number_from_one(std::string const& name, Target& target, std::string const& type,
                             std::string const& help) {
    whole_number(name, target, type, 1, help);
  }

  // Options that several commands have.
  void precision(std::optional<Precision>& target, std::string const& when_not_given);
  void output_prefix(std::string& target, std::string const& help);
  void json(bool& target);

  /// Whether the option `name` was on the command line.
  [[nodiscard]] bool given(std::string const& name) const;

 private:
  void set_number(std::string const& name, std::function<void(double)> set, std::string const& type,
                  std::function<bool(double)> allowed, std::string const& description,
                  std::string const& help);
  void set_whole_number(std::string const& name, std::function<void(int)> set,
                        std::string const& type, int least, std::string const& help);

  CLI::App& app_;
};

/// UsageError if `prefix`, of output_prefix, is given and no prefix of file names.
void check_output_prefix(CommandOptions const& options, std::string const& prefix);

/// UsageError if `file`, of the operand or option `name`, is empty.
void check_file_name(std::string const& name, std::string const& file);
/// The same of an option that need not be given.
void check_file_name(CommandOptions const& options, std::string const& name,
                     std::string const& file);

/// UsageError if the option `name` is given, and `method` is not the one that it is for.
void check_method(CommandOptions const& options, std::string const& name, std::string const& method,
                  std::string const& its_method);

/// UsageError if one of these options is given, which have no meaning `there`: "for --exact".
void refuse(CommandOptions const& options, std::vector<std::string> const& names,
            std::string const& there);

/// One command as the command line knows it.
struct CommandLine {
  Command command;
  std::string name;
  std::string operand;  ///< as the line of usage names it; empty: none
  std::string description;
  std::string footer;  ///< of the page of help
  std::function<void(CommandOptions&, Arguments&)> add_options;
  /// What cannot be checked option by option: UsageError.
  std::function<void(CommandOptions const&, Arguments&)> check_together;
};

/// A command with arguments of its own, `Arguments::*own`, which are all that its functions see.
template <class Own, class Check>
[[nodiscard]] CommandLine command_line(Command command, std::string name, std::string operand,
                                       std::string description, std::string footer,
                                       Own Arguments::*own,
                                       void (*add_options)(CommandOptions&, Own&),
                                       Check check_together) {
  return {
      command,
      std::move(name),
      std::move(operand),
      std::move(description),
      std::move(footer),
      [=](CommandOptions& options, Arguments& all) { add_options(options, all.*own); },
      [=](CommandOptions const& options, Arguments& all) { check_together(options, all.*own); }};
}

// In the files …arguments.cpp.
[[nodiscard]] CommandLine svd_command_line();
[[nodiscard]] CommandLine eigh_command_line();
[[nodiscard]] CommandLine qr_command_line();
[[nodiscard]] CommandLine lstsq_command_line();
[[nodiscard]] CommandLine solve_command_line();
[[nodiscard]] CommandLine inverse_command_line();
[[nodiscard]] CommandLine det_command_line();
[[nodiscard]] CommandLine pinv_command_line();
[[nodiscard]] CommandLine track_command_line();
[[nodiscard]] CommandLine synth_command_line();
[[nodiscard]] CommandLine sum_command_line();
[[nodiscard]] CommandLine dot_command_line();
[[nodiscard]] CommandLine norm_command_line();
[[nodiscard]] CommandLine gemv_command_line();
[[nodiscard]] CommandLine gemm_command_line();
[[nodiscard]] CommandLine add_command_line();
[[nodiscard]] CommandLine occupancy_command_line();
[[nodiscard]] CommandLine scaling_command_line();
[[nodiscard]] CommandLine recommend_command_line();
[[nodiscard]] CommandLine compress_command_line();
[[nodiscard]] CommandLine decompress_command_line();
[[nodiscard]] CommandLine denoise_command_line();
[[nodiscard]] CommandLine background_command_line();
[[nodiscard]] CommandLine info_command_line();

}  // namespace carroll::tool
