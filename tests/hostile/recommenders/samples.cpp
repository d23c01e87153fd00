// SPDX-License-Identifier: BSD-3-Clause
// Gibbs sampling: the same chain for any number of threads, and what its samples make of pairs.
#include <carroll/gibbs.hpp>
#include <sstream>

#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "support/copy.hpp"

namespace carroll::test {

template <class Real>
void gibbs_round(Round& round) {
  using Model = FactorModel<Real, Memory>;
  Random& random = round.random;
  int const k = log_uniform(random, 0, random.chance(0.1) ? 140 : 24);
  DrawnRatings<Real> const drawn(random, 60, 60,
                                 random.chance(0.5) ? Values::halves : Values::normal, 0.1);
  auto const ratings = drawn.ratings();
  GibbsOptions options{.precision = std::ldexp(1 + random.uniform(), random.index(6) - 3),
                       .burn_in = random.index(3),
                       .sweeps = 1 + random.index(3),
                       .start = static_cast<GibbsStart>(random.index(2)),
                       .mean_weight = 0.1 + 3 * random.uniform(),
                       .scale = 0.1 + 3 * random.uniform(),
                       .extra_freedom = 5 * random.uniform(),
                       .posterior_means = random.chance(0.5),
                       .seed = static_cast<std::uint64_t>(random.index(1000))};
  if (random.chance(0.4)) options.least = 0.5, options.most = 5;
  auto const complain = [&](std::string const& what) {
    std::ostringstream text;
    text << "gibbs: " << drawn.text << ", k " << k << ", precision " << options.precision
         << ", sweeps " << options.burn_in << " + " << options.sweeps
         << (options.posterior_means ? ", means" : "") << ", seed " << options.seed << ": " << what;
    round.wrong(text.str());
  };
  std::vector<std::int32_t> users, items;
  for (int p = log_uniform(random, 0, 200); p > 0; --p) {
    users.push_back(random.index(drawn.users));
    items.push_back(random.index(drawn.items));
  }
  std::vector<Real> start;
  for (int e = 0; e < (drawn.users + drawn.items) * k; ++e)
    start.push_back(static_cast<Real>(random.normal()));
  struct Result {
    GibbsInfo info;
    std::vector<Real> model, mean, variance;
  };
  auto const call = [&](Exec const& exec, std::vector<Real> const& given) {
    Model model;
    model.U = typename Model::Factors("carroll_test::U", place(drawn.users), place(k));
    model.V = typename Model::Factors("carroll_test::V", place(drawn.items), place(k));
    std::size_t next = 0;
    typename Model::Factors const views[] = {model.U, model.V};
    for (auto const& view : views) {
      auto const host = Kokkos::create_mirror_view(view);
      for (std::size_t e = 0; e < host.size(); ++e) host.data()[e] = given[next++];
      carroll::test::deep_copy(view, host);
    }
    Kokkos::View<Real*, Memory> const mean("carroll_test::mean", users.size()),
        variance("carroll_test::variance", users.size());
    Result result;
    result.info = gibbs(exec, ratings, model, options,
                        GibbsPairs{on_device(users), on_device(items), mean, variance});
    result.model = entries(model);
    result.mean = on_host(mean);
    result.variance = on_host(variance);
    return result;
  };
  auto const first = call(Exec(), start), other = call(new_instance_of<Exec>(), start);
  if (!same_entries(first.model, other.model) || !same_entries(first.mean, other.mean) ||
      !same_entries(first.variance, other.variance))
    complain("other bits by another instance");
  if (first.info.status != Status::success || !all_finite_in(first.model) ||
      !all_finite_in(first.mean) || !all_finite_in(first.variance))
    complain("status " + std::string(to_string(first.info.status)) + ", or not finite");
  double const eps = std::numeric_limits<Real>::epsilon();
  for (std::size_t p = 0; p < users.size(); ++p) {
    if (options.most > options.least && !(first.mean[p] >= 0.5 && first.mean[p] <= 5))
      return complain("a prediction out of its range");
    if (!(first.variance[p] >= (1 - 8 * eps) / options.precision))
      return complain("a variance below that of the noise");
    if (options.sweeps > 1) continue;
    double sum = first.info.mean, size = std::fabs(sum);
    for (int l = 0; l < k; ++l) {
      double const term = static_cast<double>(first.model[place(users[p] * k + l)]) *
                          static_cast<double>(first.model[place((drawn.users + items[p]) * k + l)]);
      sum += term;
      size += std::fabs(term);
    }
    if (options.most > options.least) sum = std::clamp(sum, options.least, options.most);
    if (!(std::fabs(static_cast<double>(first.mean[p]) - sum) <= (k + 8) * eps * size))
      return complain("pair " + std::to_string(p) + ": " + std::to_string(first.mean[p]) +
                      ", the sample has " + std::to_string(sum));
  }
  if (!start.empty() && random.chance(0.3)) {
    options.start = GibbsStart::given;
    auto bad = start;
    bad[place(random.index(static_cast<int>(bad.size())))] = not_finite<Real>(random);
    auto result = call(Exec(), bad);
    result.model.pop_back();
    if (result.info.status != Status::non_finite || !all_nan_in(result.model) ||
        !all_nan_in(result.mean) || !all_nan_in(result.variance))
      complain("given what is not finite: status " + std::string(to_string(result.info.status)));
  }
  round.checked(1);
}

template void gibbs_round<float>(Round&);
template void gibbs_round<double>(Round&);

}  // namespace carroll::test
