// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* recommend_footer =
    "RATINGS is a file of lines user, item, rating (between commas, semicolons,\n"
    "tabs, :: or blanks; with or without a header; ids are any text), a Matrix\n"
    "Market file, or a sparse matrix of scipy (.npz).\n"
    "\n"
    "Exit status: 0 success; 1 the numerics say no; 2 unusable input or usage.";

void add_recommend_options(CommandOptions& options, RecommendArguments& own) {
  options.operand("RATINGS", own.input, "Ratings to learn from");
  options.one_of({"als", "sgd", "gibbs", "knn", "svd", "bias"}, "--method", own.method, "M",
                 "als (default): alternating least squares\n"
                 "sgd: stochastic gradient descent\n"
                 "gibbs: Bayesian factorisation by Gibbs sampling\n"
                 "knn: the nearest neighbours of items\n"
                 "svd: truncated singular value decomposition\n"
                 "bias: means of users and items alone");
  options.text("--test", own.test, "FILE", "Ratings to be predicted, in any of the formats");
  options.number(
      "--hold-out", own.hold_out, "F", [](double x) { return x > 0 && x < 1; },
      "a number between 0 and 1", "Instead of --test: this fraction of RATINGS, at random");
  options.text("--users", own.users, "IDS", "Whom to recommend items: ids between commas, or all");
  options.whole_number_from_one("--top", own.top, "N",
                                "How many items, and how many count in measures of\n"
                                "rankings (default: 10)");
  options.whole_number_from_one("--factors", own.factors, "K",
                                "Factors of a user or item (default: 64)");
  options.number(
      "--regularization", own.regularization, "L", [](double x) { return x >= 0 && x < 1e30; },
      "a number from 0",
      "Weight of the factors' squares (default: als 0.08,\nsgd 0.06); of knn what similarities of "
      "few ratings\nare shrunk by (50), of bias the damping (15 and 10)");
  options.whole_number_from_one("--iterations", own.iterations, "N",
                                "Iterations of als (default: 15), epochs of sgd (40),\n"
                                "sweeps of gibbs (200), rounds of bias (10)");
  options.number(
      "--learning-rate", own.learning_rate, "E", [](double x) { return x > 0 && x < 1; },
      "a number between 0 and 1", "Of sgd (default: 0.01)");
  options.whole_number_from_one("--neighbours", own.neighbours, "N", "Of knn (default: 40)");
  options.flag("--implicit", own.implicit,
               "als: ratings say how sure it is that a user wants an\n"
               "item, and what is missing is not wanted");
  options.number(
      "--confidence", own.confidence, "A", [](double x) { return x >= 0 && x < 1e30; },
      "a number from 0", "Of --implicit: a rating r weighs 1 + A r (default: 1)");
  options.number(
      "--relevant-from", own.relevant_from, "R", [](double) { return true; }, "a number",
      "Ratings of the test from R on are hits (default: all)");
  options.flag("--no-clip", own.no_clip, "Let predictions leave the range of the ratings");
  options.one_of({"refuse", "sum", "last"}, "--duplicates", own.duplicates, "D",
                 "Several ratings of an item by a user: refuse\n"
                 "(default), sum, or last, which counts alone");
  options.whole_number("--seed", own.seed, "S", 0, "Of random numbers (default: 0)");
  options.text("--model", own.model, "FILE",
               "Use the model in a .npz file instead of learning one");
  options.precision(own.precision, "(default: single)");
  options.output_prefix(own.output,
                        "Write PREFIX_model.npz and, with --users,\n"
                        "PREFIX_items.csv");
  options.json(own.json);
}

void check_recommend_options(CommandOptions const& options, RecommendArguments& own) {
  check_file_name("RATINGS", own.input);
  if (options.given("--test") && options.given("--hold-out"))
    throw UsageError("--test and --hold-out exclude each other");
  check_method(options, "--implicit", own.method, "als");
  if (options.given("--confidence") && !own.implicit)
    throw UsageError("--confidence needs --implicit");
  check_method(options, "--learning-rate", own.method, "sgd");
  check_method(options, "--neighbours", own.method, "knn");
  if (options.given("--users") && own.users.empty()) throw UsageError("--users: there are none");
  check_file_name(options, "--test", own.test);
  if (options.given("--model")) {
    check_file_name("--model", own.model);
    refuse(options, {"--method", "--factors", "--regularization", "--iterations"}, "with --model");
    own.method = "model";
  }
  check_output_prefix(options, own.output);
}

}  // namespace

CommandLine recommend_command_line() {
  return command_line(Command::recommend, "recommend", "RATINGS",
                      "Predictions and recommendations from ratings", recommend_footer,
                      &Arguments::recommend, add_recommend_options, check_recommend_options);
}

}  // namespace carroll::tool
