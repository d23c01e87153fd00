// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "output/files.hpp"
#include "output/standard_output.hpp"
#include "progress.hpp"

/// What every command that works on files does.
namespace carroll::tool {

/// The exit status of `work`. What goes wrong without naming a file is told of `input`.
[[nodiscard]] int run_on(std::string const& input, std::function<int(Progress&)> const& work,
                         bool shows_progress = true);

/// Prints the report, and returns the exit status that belongs to the status of the numerics.
template <class Arguments, class Report>
int print_report(Arguments const& arguments, Report const& report, std::string const& status,
                 Progress& progress) {
  progress.stop();
  print(arguments.json ? json(report) : table(report));
  return status == "success" ? 0 : 1;
}

/// The same with the files that were asked for, if there is anything to be written to them:
/// `write(files)` writes those whose names `pattern` ends, and returns their names. They get these
/// only after the report has arrived: when one of the two fails, there is neither.
template <class Arguments, class Report, class Write>
int print_and_write(Arguments const& arguments, Report& report, std::string const& status,
                    Progress& progress, std::string const& pattern, Write const& write) {
  OutputFiles files;
  if (!arguments.output.empty() && status != "non_finite") {
    progress.phase("writing " + arguments.output + pattern);
    report.files = write(files);
  }
  int const exit_status = print_report(arguments, report, status, progress);
  files.commit();
  return exit_status;
}

}  // namespace carroll::tool
