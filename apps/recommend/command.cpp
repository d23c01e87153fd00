// SPDX-License-Identifier: BSD-3-Clause
#include "recommend/command.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "files/file_error.hpp"
#include "output/run.hpp"
#include "recommend/model_file.hpp"
#include "recommend/report.hpp"
#include "recommend/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

struct RecommendFiles {
  std::string model, items;
};
RecommendFiles recommend_files(std::string const& prefix) {
  return {prefix + "_model.npz", prefix + "_items.csv"};
}

/// Indices of the users who were asked for: ids between commas, or all. Ids with commas in them are
/// found as long as they are the only one.
std::vector<std::int32_t> asked_users(RecommendArguments const& arguments, Ids const& users) {
  std::vector<std::int32_t> asked;
  std::string_view rest = arguments.users;
  if (rest == "all") {
    asked.resize(static_cast<std::size_t>(users.count()));
    std::iota(asked.begin(), asked.end(), 0);
    return asked;
  }
  if (auto const whole = users.find(rest); whole >= 0) return {whole};
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find(','), rest.size());
    std::string const name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto const user = users.find(name);
    if (user < 0) throw FileError(arguments.input, "has no user '" + name + "'");
    asked.push_back(user);
  }
  return asked;
}

RecommendTask task_of(RecommendArguments const& arguments, RatingTable const& ratings,
                      std::optional<RatingTable> const& test, Ids const& users, Ids const& items) {
  RecommendTask task;
  static_cast<LearnArguments&>(task.learn) = arguments;
  task.learn.method = arguments.method;
  task.learn.seed = static_cast<std::uint64_t>(arguments.seed);
  if (!arguments.no_clip && !arguments.implicit && ratings.count() > 0) {
    auto const [lowest, highest] =
        std::minmax_element(ratings.values.begin(), ratings.values.end());
    task.learn.lowest = *lowest;
    task.learn.highest = *highest;
  }
  task.ratings = &ratings;
  task.users = users.count();
  task.items = items.count();
  task.duplicates = arguments.duplicates;
  task.test = test ? &*test : nullptr;
  task.hold_out = arguments.hold_out;
  task.relevant_from = arguments.relevant_from;
  task.top = arguments.top;
  if (!arguments.users.empty()) task.asked = asked_users(arguments, users);
  task.copy_model = !arguments.output.empty();
  return task;
}

/// A field of a CSV file, in quotes where it needs them.
std::string csv_field(std::string const& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string items_csv(RecommendReport const& report) {
  std::string text = "user,item,score\n";
  auto const columns = static_cast<std::size_t>(report.result.columns);
  for (std::size_t place = 0; place < report.result.items.size(); ++place) {
    if (report.result.items[place] < 0) continue;
    char digits[32];
    double const score = report.result.scores[place];
    auto const end =
        report.precision == Precision::single_precision
            ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(score)).ptr
            : std::to_chars(digits, digits + sizeof digits, score).ptr;
    text += csv_field(report.users->name(report.asked[place / columns])) + "," +
            csv_field(report.items->name(report.result.items[place])) + "," +
            std::string(digits, end) + "\n";
  }
  return text;
}

template <class Real>
int run_in(RecommendArguments const& arguments, KokkosFlags const& flags, Progress& progress) {
  auto const names = recommend_files(arguments.output);
  Ids users, items;
  HostModel<Real> model;
  bool const with_model = !arguments.model.empty();
  RatingTable ratings;
  if (with_model) {
    progress.phase("reading " + arguments.model);
    model = read_model<Real>(arguments.model, users, items);
  }
  progress.phase("reading " + arguments.input);
  ratings = with_model ? read_known_ratings(arguments.input, users, items)
                       : read_ratings(arguments.input, users, items);
  for (std::int64_t e = 0; with_model && e < ratings.count(); ++e) {
    auto const k = static_cast<std::size_t>(e);
    if (ratings.users[k] < 0 || ratings.items[k] < 0)
      throw FileError(arguments.input, place_text(ratings, e) + ": the " +
                                           (ratings.users[k] < 0 ? "user" : "item") +
                                           " is not in the model " + arguments.model);
  }
  std::optional<RatingTable> test;
  if (!arguments.test.empty()) {
    progress.phase("reading " + arguments.test);
    test = read_known_ratings(arguments.test, users, items);
  }
  RecommendTask const task = task_of(arguments, ratings, test, users, items);
  if (!arguments.output.empty())
    for (auto const& name : {names.model, names.items})
      OutputFiles::check(name, {arguments.input, arguments.test, arguments.model});

  Runtime const runtime(flags);
  RecommendReport report;
  report.input = arguments.input;
  report.method = arguments.method;
  report.precision = precision_of<Real>;
  report.top = arguments.top;
  report.users = &users;
  report.items = &items;
  report.asked = task.asked;
  constexpr std::size_t most_shown = 20;
  report.shown = most_shown;
  report.result = recommend_items(task, with_model, model, progress);
  return print_and_write(arguments, report, report.result.status, progress, "_*",
                         [&](OutputFiles& files) {
                           std::vector<std::string> written;
                           if (!with_model && model.users > 0) {
                             write_model(files, names.model, model, users, items);
                             written.push_back(names.model);
                           }
                           if (!report.asked.empty()) {
                             files.write(names.items, items_csv(report), {});
                             written.push_back(names.items);
                           }
                           return written;
                         });
}

}  // namespace

int run_recommend(RecommendArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    return arguments.precision == Precision::double_precision
               ? run_in<double>(arguments, flags, progress)
               : run_in<float>(arguments, flags, progress);
  });
}

}  // namespace carroll::tool
