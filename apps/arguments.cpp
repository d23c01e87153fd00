// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <carroll/version.hpp>
#include <charconv>
#include <memory>
#include <utility>

#include "command_line.hpp"
#include "files/file_error.hpp"
#include "help_page.hpp"

namespace carroll::tool {

namespace {

constexpr char const* general_footer =
    R"(Kokkos' own flags, such as --kokkos-num-threads=4, may stand anywhere;
--kokkos-help lists them. OpenMP's threads sleep while they wait, unless
OMP_WAIT_POLICY says otherwise.

Under mpirun or srun the processes are ranks of one run, which print once what a
plain call prints. Of sum, dot and norm each has entries, of gemv rows or
columns, of det of a large matrix and of svd --method tall rows, of a batch of
svd, eigh, qr, lstsq, pinv or det members; all else the first rank does alone.
With --json there are two keys more: ranks, and engine, which is entries, rows,
columns, members or one_rank.

Exit status: 0 success; 1 the numerics say no (status is not success);
2 unusable input or usage, told in one line on standard error.

Example: carroll svd matrix.npy --rank 10 -o result)";

/// "there are svd, det and info"
std::string there_are(std::vector<CommandLine> const& commands) {
  std::string text = "there are " + commands.front().name;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += (i + 1 < commands.size() ? ", " : " and ") + commands[i].name;
  }
  return text;
}

/// What CLI11 has to complain about, in our words where its own are hard to understand.
std::string complaint(CLI::ParseError const& error, bool command_given,
                      std::vector<CommandLine> const& commands) {
  std::string const text = one_line(error.what());
  if (dynamic_cast<CLI::ArgumentMismatch const*>(&error) != nullptr) {
    return text.substr(0, text.find(':')) + ": takes one value, given once";
  }
  if (dynamic_cast<CLI::RequiredError const*>(&error) != nullptr && !command_given) {
    return "a command is missing; " + there_are(commands);
  }
  std::string const unconverted = "Could not convert: ";  // what a flag was given
  if (text.starts_with(unconverted)) {
    return text.substr(unconverted.size(), text.find(" =") - unconverted.size()) +
           ": takes no value";
  }
  if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr) {
    // Each after a blank, the last one first.
    std::string const words = text.substr(text.find(':') + 1);
    auto const option = words.rfind(" -");
    auto const begin = option == std::string::npos ? words.rfind(' ') : option;
    std::string const word = words.substr(begin + 1, words.find(' ', begin + 1) - begin - 1);
    return option == std::string::npos ? "'" + word + "' is one argument too many"
                                       : "there is no option " + word;
  }
  return text;
}

/// A number of type T that the whole of `word` is, if it is one.
template <class T>
std::optional<T> parsed(std::string const& word) {
  T value{};
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Accepts the words for which `right` holds. Written out because the ranges that come with CLI11
/// let NaN pass.
CLI::Validator only(std::function<bool(std::string const&)> right, std::string const& otherwise) {
  return CLI::Validator(
      [right = std::move(right), otherwise](std::string& word) {
        return right(word) ? std::string() : "'" + word + "' is " + otherwise;
      },
      "");
}

CLI::Validator only_one_of(std::vector<std::string> const& choices) {
  std::string list;
  for (auto const& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  auto const is_choice = [choices](std::string const& word) {
    return std::ranges::find(choices, word) != choices.end();
  };
  return only(is_choice, "none of " + list);
}

}  // namespace

void CommandOptions::operand(std::string const& name, std::string& target,
                             std::string const& help) {
  app_.add_option(name, target, help)->required()->type_name("");
}

void CommandOptions::operands(std::string const& name, std::vector<std::string>& target,
                              std::string const& help) {
  app_.add_option(name, target, help)->required()->type_name("");
}

void CommandOptions::flag(std::string const& name, bool& target, std::string const& help) {
  app_.add_flag(name, target, help);
}

void CommandOptions::text(std::string const& name, std::string& target, std::string const& type,
                          std::string const& help) {
  app_.add_option(name, target, help)->type_name(type);
}

void CommandOptions::one_of(std::vector<std::string> const& choices, std::string const& name,
                            std::string& target, std::string const& type, std::string const& help) {
  app_.add_option(name, target, help)->type_name(type)->check(only_one_of(choices));
}

void CommandOptions::set_number(std::string const& name, std::function<void(double)> set,
                                std::string const& type, std::function<bool(double)> allowed,
                                std::string const& description, std::string const& help) {
  auto const is_allowed = [allowed = std::move(allowed)](std::string const& word) {
    auto const value = parsed<double>(word);
    return value && allowed(*value);
  };
  app_.add_option_function<double>(name, set, help)
      ->type_name(type)
      ->check(only(is_allowed, "not " + description));
}

void CommandOptions::set_whole_number(std::string const& name, std::function<void(int)> set,
                                      std::string const& type, int least, std::string const& help) {
  auto const is_allowed = [least](std::string const& word) {
    auto const value = parsed<int>(word);
    return value && *value >= least;
  };
  app_.add_option_function<int>(name, set, help)
      ->type_name(type)
      ->check(
          only(is_allowed, "not a whole number from " + std::to_string(least) + " to 2147483647"));
}

void CommandOptions::precision(std::optional<Precision>& target,
                               std::string const& when_not_given) {
  auto const set = [&target](std::string const& word) {
    target = word == "single" ? Precision::single_precision : Precision::double_precision;
  };
  app_.add_option_function<std::string>("--precision", set, "single or double\n" + when_not_given)
      ->type_name("P")
      ->check(only_one_of({"single", "double"}));
}

void CommandOptions::output_prefix(std::string& target, std::string const& help) {
  text("-o,--output", target, "PREFIX", help);
}

void CommandOptions::json(bool& target) {
  flag("--json", target, "One JSON object on standard output, nothing else");
}

bool CommandOptions::given(std::string const& name) const {
  return app_.count(name) > 0;
}

void check_output_prefix(CommandOptions const& options, std::string const& prefix) {
  if (options.given("--output") && prefix.empty()) {
    throw UsageError("--output: the prefix is empty");
  }
  if (prefix.ends_with('/')) {
    throw UsageError("--output: '" + prefix + "' is a directory, expected a prefix such as " +
                     prefix + "result");
  }
}

void check_file_name(std::string const& name, std::string const& file) {
  if (file.empty()) throw UsageError(name + ": the name of the file is empty");
}

void check_file_name(CommandOptions const& options, std::string const& name,
                     std::string const& file) {
  if (options.given(name)) check_file_name(name, file);
}

void check_method(CommandOptions const& options, std::string const& name, std::string const& method,
                  std::string const& its_method) {
  if (options.given(name) && method != its_method)
    throw UsageError(name + " needs --method " + its_method);
}

void refuse(CommandOptions const& options, std::vector<std::string> const& names,
            std::string const& there) {
  for (auto const& name : names)
    if (options.given(name)) throw UsageError(name + " has no meaning " + there);
}

namespace {

std::vector<CommandLine> all_commands() {
  return {svd_command_line(),        eigh_command_line(),       qr_command_line(),
          lstsq_command_line(),      solve_command_line(),      inverse_command_line(),
          det_command_line(),        pinv_command_line(),
#ifdef CARROLL_TOOL_PICTURES
          track_command_line(),      synth_command_line(),      denoise_command_line(),
          background_command_line(),
#endif
          sum_command_line(),        dot_command_line(),        norm_command_line(),
          gemv_command_line(),       gemm_command_line(),       add_command_line(),
          recommend_command_line(),
#ifdef CARROLL_TOOL_COMPRESSION
          compress_command_line(),   decompress_command_line(),
#endif
          occupancy_command_line(),  scaling_command_line(),    info_command_line()};
}

/// Why `word` is no command.
std::string unknown_command(std::string const& word, std::vector<CommandLine> const& commands) {
#ifndef CARROLL_TOOL_PICTURES
  if (word == "track" || word == "synth-sequence" || word == "denoise" || word == "background") {
    return "'" + word + "' needs libpng, which this carroll was built without";
  }
#endif
#ifndef CARROLL_TOOL_COMPRESSION
  if (word == "compress" || word == "decompress") {
    return "'" + word + "' needs libpng and zstd, without one of which this carroll was built";
  }
#endif
  return "'" + word + "' is no command; " + there_are(commands) + " (see carroll --help)";
}

}  // namespace

Arguments parse_arguments(std::vector<std::string> words) {
  std::vector<CommandLine> const commands = all_commands();
  Arguments arguments;
  CLI::App app("Dense solvers on Kokkos, for a matrix in a file", "carroll");
  app.set_version_flag("--version", "carroll " CARROLL_VERSION_STRING, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.footer(general_footer);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>("COMMAND [OPTIONS]"));
  for (auto const& command : commands) {
    CLI::App* const page = app.add_subcommand(command.name, command.description);
    page->footer(command.footer);
    std::string const operand = command.operand.empty() ? "" : " " + command.operand;
    page->formatter(std::make_shared<HelpFormatter>(command.name + operand + " [OPTIONS]"));
    CommandOptions options(*page);
    command.add_options(options, arguments);
  }

  if (!words.empty() && !words[0].empty() && words[0][0] != '-' &&
      std::ranges::find(commands, words[0], &CommandLine::name) == commands.end()) {
    throw UsageError(unknown_command(words[0], commands));
  }
  std::reverse(words.begin(), words.end());  // the order in which CLI11 takes a vector
  try {
    app.parse(words);
  } catch (CLI::CallForHelp const&) {
    arguments.text = app.help();
    return arguments;
  } catch (CLI::CallForVersion const& version) {
    arguments.text = std::string(version.what()) + "\n";
    return arguments;
  } catch (CLI::ParseError const& error) {
    auto const given = app.get_subcommands();
    std::string const place = given.empty() ? "" : " " + given.front()->get_name();
    throw UsageError(complaint(error, !given.empty(), commands) + " (see carroll" + place +
                     " --help)");
  }
  for (auto const& command : commands) {
    CLI::App* const page = app.get_subcommand(command.name);
    if (!page->parsed()) continue;
    command.check_together(CommandOptions(*page), arguments);
    arguments.command = command.command;
  }
  return arguments;
}

}  // namespace carroll::tool
