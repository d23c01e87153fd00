// SPDX-License-Identifier: BSD-3-Clause
// Stochastic gradient descent: the steps in double precision, the same bits by both kernels.
#include <carroll/sgd.hpp>
#include <sstream>

#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "recommenders/sgd/oracle.hpp"

namespace carroll::test {

template <class Real>
void sgd_round(Round& round) {
  Random& random = round.random;
  int const k = log_uniform(random, 0, random.chance(0.2) ? 260 : 40);
  DrawnRatings<Real> const drawn(random, 100, 100,
                                 random.chance(0.7) ? Values::halves : Values::normal, 0.1);
  auto const ratings = drawn.ratings();
  bool const biases = random.chance(0.5);
  SgdOptions options{.epochs = random.index(4),
                     .learning_rate = 0.02 * random.uniform(),
                     .schedule = static_cast<LearningRate>(random.index(3)),
                     .decay = random.uniform(),
                     .regularization = 0.2 * random.uniform(),
                     .bias_regularization = 0.2 * random.uniform(),
                     .subtract_mean = random.chance(0.5),
                     .start_deviation = random.uniform(),
                     .seed = static_cast<std::uint64_t>(random.index(1000)),
                     .trace = random.chance(0.3),
                     .blocks = random.chance(0.5) ? 0 : 1 + random.index(9)};
  auto const complain = [&](std::string const& what) {
    std::ostringstream text;
    text << "sgd: " << drawn.text << ", k " << k << (biases ? ", biases" : "") << ", epochs "
         << options.epochs << ", rate " << options.learning_rate << ' '
         << to_string(options.schedule) << ", blocks " << options.blocks << ", seed "
         << options.seed << ": " << what;
    round.wrong(text.str());
  };
  struct Result {
    SgdInfo info;
    ModelEntries<Real> model;
  };
  auto const call = [&](Exec const& exec, RatingRows<Real, Memory> const& rows,
                        detail::SgdPath path, SgdOptions const& o) {
    auto model = empty_model<Real>(drawn.users, drawn.items, k, biases);
    auto const info = sgd(exec, rows, model, o, path);
    return Result{info, host_model(model)};
  };
  auto const& rows = ratings.by_user();
  auto const first = call(Exec(), rows, detail::SgdPath::automatic, options);
  auto const plain = call(Exec(), rows, detail::SgdPath::plain, options);
  auto const other = call(new_instance_of<Exec>(), rows, detail::SgdPath::automatic, options);
  if (first.info.status != Status::success)
    return complain("status " + std::string(to_string(first.info.status)));
  if (!(first.model == plain.model) || first.info.last.objective != plain.info.last.objective)
    complain("other bits by the plain kernel");
  if (!(first.model == other.model) || first.info.last.objective != other.info.last.objective)
    complain("other bits by another instance");
  if (first.info.epochs != options.epochs) complain("epochs " + std::to_string(first.info.epochs));

  auto begin = options;
  begin.epochs = 0;
  auto const start = call(Exec(), rows, detail::SgdPath::automatic, begin).model;
  auto const doubles = [](std::vector<Real> const& from) {
    return std::vector<double>(from.begin(), from.end());
  };
  PlainSgd<Real> oracle{k,
                        doubles(start.U),
                        doubles(start.V),
                        doubles(start.user_bias),
                        doubles(start.item_bias),
                        static_cast<double>(start.mean)};
  oracle.run(schedule_of(ratings, first.info.blocks, options.seed), options, biases);
  // A long row's steps are many; each adds a rounding error.
  double const steps =
      options.epochs * static_cast<double>(std::max<std::size_t>(1, drawn.triples.count()));
  double const eps = std::numeric_limits<Real>::epsilon();
  double const tolerance = 4 * (k + 8) * eps * (10 + std::sqrt(steps));
  auto const near = [&](std::vector<Real> const& found, std::vector<double> const& wanted,
                        char const* what) {
    double size = 1;
    for (double const x : wanted) size = std::max(size, std::fabs(x));
    for (std::size_t e = 0; e < wanted.size(); ++e)
      if (!(std::fabs(static_cast<double>(found[e]) - wanted[e]) <= tolerance * size))
        return complain(std::string(what) + " " + std::to_string(e) + " is " +
                        std::to_string(found[e]) + ", not " + std::to_string(wanted[e]));
  };
  near(first.model.U, oracle.U, "U");
  near(first.model.V, oracle.V, "V");
  near(first.model.user_bias, oracle.user_bias, "user bias");
  near(first.model.item_bias, oracle.item_bias, "item bias");

  // What is measured, of the model that is there.
  auto const& m = first.model;
  double square = 0, penalty = 0;
  for (std::size_t e = 0; e < drawn.triples.count(); ++e) {
    auto const u = place(drawn.triples.users[e]), i = place(drawn.triples.items[e]);
    double error = static_cast<double>(drawn.triples.values[e]) - static_cast<double>(m.mean);
    if (biases) {
      double const a = static_cast<double>(m.user_bias[u]), b = static_cast<double>(m.item_bias[i]);
      error -= a + b;
      penalty += options.bias_regularization * (a * a + b * b);
    }
    for (std::size_t f = 0; f < place(k); ++f) {
      double const x = static_cast<double>(m.U[u * place(k) + f]),
                   y = static_cast<double>(m.V[i * place(k) + f]);
      error -= x * y;
      penalty += options.regularization * (x * x + y * y);
    }
    square += error * error;
  }
  double const count = static_cast<double>(std::max<std::size_t>(1, drawn.triples.count()));
  double const bound = 100 * (k + 8) * eps;
  if (!(std::fabs(first.info.last.rmse - std::sqrt(square / count)) <= bound))
    complain("rmse " + std::to_string(first.info.last.rmse));
  if (!(std::fabs(first.info.last.objective - square - penalty) <=
        bound * (count + square + penalty)))
    complain("objective " + std::to_string(first.info.last.objective) + ", not " +
             std::to_string(square + penalty));
  if (rows.rating_count() > 0 && random.chance(0.3)) {
    auto const bad = with_value(rows, place(random.index(static_cast<int>(rows.rating_count()))),
                                not_finite<Real>(random));
    auto const result = call(Exec(), bad, detail::SgdPath::automatic, options);
    if (result.info.status != Status::non_finite || !all_nan_in(result.model.U) ||
        !all_nan_in(result.model.V) || !all_nan_in(result.model.user_bias) ||
        !std::isnan(result.model.mean))
      complain("a rating that is not finite: status " + std::string(to_string(result.info.status)));
  }
  round.checked(1);
}

template void sgd_round<float>(Round&);
template void sgd_round<double>(Round&);

}  // namespace carroll::test
