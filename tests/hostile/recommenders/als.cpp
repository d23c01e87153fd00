// SPDX-License-Identifier: BSD-3-Clause
// Alternating least squares: each row's equations, the bits of all ways to them.
#include <carroll/als.hpp>
#include <carroll/fold_in.hpp>
#include <sstream>

#include "hostile/recommenders/als_problem.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "hostile/recommenders/row_checks.hpp"
#include "support/copy.hpp"

namespace carroll::test {
namespace {

template <class Real>
class AlsRound : AlsProblem<Real> {
  using Base = AlsProblem<Real>;
  using Base::copy, Base::drawn_, Base::empty, Base::epsilon, Base::expect, Base::expect_not;
  using Base::info_, Base::k_, Base::looks_right, Base::model_, Base::options_, Base::random_;
  using Base::ratings_, Base::round_, Base::start_;
  using typename Base::Model;

 public:
  using Base::Base;

  void run() {
    model_ = copy(start_);
    info_ = als(Exec(), ratings_, model_, options_);
    auto const all = entries(model_);
    looks_right(all);
    again(all);
    if (options_.biases == AlsBiases::zero) pitched();
    if (info_.status == Status::success && options_.iterations > 0) {
      equations();
      if (options_.objective) descends();
    }
    if (all_finite_in(all)) folded();
    if (k_ > 0 && random_.chance(0.2)) not_finite_start();
    if (k_ > 0 && random_.chance(0.2)) not_finite_fold();
    round_.checked(1);
  }

 private:
  /// With a workspace that is used twice, and by one thread.
  void again(std::vector<Real> const& all) {
    auto const workspace = als_workspace(Exec(), ratings_, k_, options_);
    for (int pass = 0; pass < 2; ++pass) {
      auto other = copy(start_);
      auto const info = als(Exec(), ratings_, other, workspace);
      expect(same_entries(all, entries(other)) && info.singular_rows == info_.singular_rows,
             "other bits with a workspace, pass " + std::to_string(pass));
    }
    auto other = copy(start_);
    als(new_instance_of<Exec>(), ratings_, other, options_);
    expect(same_entries(all, entries(other)), "other bits by another instance");
  }

  void pitched() {
    using Room = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;
    std::size_t const more = place(1 + random_.index(9)), k = place(k_);
    Room const rooms[] = {Room("carroll_test::U", place(drawn_->users), k + more),
                          Room("carroll_test::V", place(drawn_->items), k + more)};
    for (auto const& room : rooms) carroll::test::deep_copy(room, Real(-77.25));
    auto const part = [&](Room const& room) {
      return Kokkos::subview(room, Kokkos::ALL, std::pair<std::size_t, std::size_t>(0, k));
    };
    auto const U = part(rooms[0]), V = part(rooms[1]);
    carroll::test::deep_copy(U, start_.U);
    carroll::test::deep_copy(V, start_.V);
    als(Exec(), ratings_, U, V, options_);
    expect(
        same_entries(entries(U), entries(model_.U)) && same_entries(entries(V), entries(model_.V)),
        "other bits in wider rows");
    for (auto const& room : rooms) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), room);
      for (std::size_t i = 0; i < host.extent(0); ++i)
        for (std::size_t j = k; j < k + more; ++j)
          if (host(i, j) != Real(-77.25)) return expect_not("something beside a row was written");
    }
  }

  /// Of one side, given the other one; the largest residual as the info has it.
  double check_side(bool by_item, Factors const& others, Factors const& own,
                    std::vector<double> const& other_bias, std::vector<double> const& own_bias,
                    std::string const& what, RowErrors& worst) {
    bool const fitted = options_.biases == AlsBiases::fitted;
    auto const mean = static_cast<double>(model_.mean);
    auto const rows = rows_of(drawn_->triples, by_item, by_item ? drawn_->items : drawn_->users,
                              mean, other_bias, fitted ? std::vector<double>{} : own_bias);
    double residual = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::vector<double> x(place(k_));
      for (std::size_t f = 0; f < x.size(); ++f) x[f] = own(r, f);
      if (fitted) x.push_back(own_bias[r]);
      if (rows[r].columns.empty()) {
        expect(std::all_of(x.begin(), x.end(), [](double f) { return f == 0; }),
               what + " " + std::to_string(r) + " has no ratings and is not 0");
        continue;
      }
      if (x.empty()) continue;
      std::vector<double> sizes;
      for (std::size_t e = 0; e < rows[r].columns.size(); ++e)
        sizes.push_back(std::fabs(rows[r].values[e]) + std::fabs(mean) +
                        (other_bias.empty() ? 0 : std::fabs(other_bias[rows[r].columns[e]])) +
                        (own_bias.empty() || fitted ? 0 : std::fabs(own_bias[r])));
      auto const errors = row_errors(rows[r], sizes, others, options_, x,
                                     static_cast<double>(std::numeric_limits<Real>::min()));
      residual = std::max(residual, errors.residual);
      worst.uncertain = std::max(worst.uncertain, errors.uncertain);
      worst.noise = std::max(worst.noise, errors.noise);
      double const allowed =
          row_tolerance<Real>(x.size(), std::max(rows[r].columns.size(), others.rows));
      if (options_.solver == AlsSolver::cholesky && !(errors.backward <= allowed)) {
        std::ostringstream text;
        text << what << ' ' << r << " of " << rows[r].columns.size() << " ratings: backward error "
             << errors.backward << ", allowed " << allowed;
        expect_not(text.str());
        break;
      }
    }
    return residual;
  }

  void equations() {
    RowErrors worst;
    auto const V = factors_of(model_.V), U = factors_of(model_.U);
    double const residual = check_side(true, U, V, doubles(entries(model_.user_bias)),
                                       doubles(entries(model_.item_bias)), "item", worst);
    // Its sums are chains of all of a row.
    double const chain = row_tolerance<Real>(place(k_), place(drawn_->users)) +
                         epsilon() * std::max(drawn_->users, drawn_->items);
    if (!(worst.noise * chain < 0.1)) return;  // ‖b‖ may be rounding errors
    double const allowed = 1e-3 * residual + worst.uncertain * chain;
    std::ostringstream text;
    text << "residual " << info_.residual << ", measured " << residual << ", allowed " << allowed;
    expect(std::fabs(info_.residual - residual) <= allowed, text.str());
  }

  void descends() {
    if (sizeof(Real) == 4 || options_.solver != AlsSolver::cholesky) return;
    double squares = 0;
    for (Real const r : drawn_->triples.values)
      squares += options_.feedback == Feedback::implicit ? 1 : static_cast<double>(r * r);
    for (std::size_t i = 1; i < info_.objectives.size(); ++i)
      expect(info_.objectives[i] <= info_.objectives[i - 1] * (1 + 1e-9) + 1e-11 * squares,
             "the objective grows: " + std::to_string(info_.objectives[i - 1]) + ", " +
                 std::to_string(info_.objectives[i]));
  }

  struct Folded {
    FoldInInfo info;
    std::vector<Real> factors, bias;
  };
  Folded fold(Model const& model, RatingRows<Real, Memory> const& rows) {
    auto const m = static_cast<std::size_t>(rows.row_count);
    typename Model::Factors const U("carroll_test::folded", m, place(k_));
    typename Model::Biases const bias("carroll_test::folded",
                                      options_.biases >= AlsBiases::fixed ? m : 0);
    Folded result;
    result.info = fold_in(Exec(), model, rows, U, bias, options_);
    result.factors = entries(U);
    result.bias = entries(bias);
    return result;
  }

  void folded() {
    auto const& by_user = ratings_.by_user();
    auto const all = fold(model_, by_user);
    if (all.info.status == Status::success && options_.solver == AlsSolver::cholesky) {
      Factors own(place(drawn_->users), place(k_));
      own.entry = doubles(all.factors);
      RowErrors worst;
      check_side(false, factors_of(model_.V), own, doubles(entries(model_.item_bias)),
                 doubles(all.bias), "folded user", worst);
    }
    // Some by themselves, with other ones beside them in another order.
    std::vector<int> some;
    for (int u = 0; u < drawn_->users; ++u)
      if (random_.chance(0.5)) some.push_back(u);
    random_.shuffle(some);
    compare(all, fold(model_, chosen_rows(by_user, some)), some, "folded elsewhere");
    for (int t = 0; t < 2; ++t) {
      std::vector<int> const one{random_.index(drawn_->users)};
      compare(all, fold(model_, chosen_rows(by_user, one)), one, "folded alone");
    }
    if (options_.iterations == 0 || options_.solver != AlsSolver::cholesky ||
        options_.biases == AlsBiases::fixed || info_.status != Status::success)
      return;
    Model turned = model_;
    std::swap(turned.U, turned.V);
    std::swap(turned.user_bias, turned.item_bias);
    auto const items = fold(turned, ratings_.by_item());
    expect(same_entries(items.factors, entries(model_.V)) &&
               same_entries(items.bias, entries(model_.item_bias)),
           "items folded in have other bits");
    std::vector<int> const one{random_.index(drawn_->items)};
    compare(items, fold(turned, chosen_rows(ratings_.by_item(), one)), one, "item alone");
  }
  void compare(Folded const& all, Folded const& some, std::vector<int> const& rows,
               std::string const& what) {
    auto const k = place(k_);
    for (std::size_t t = 0; t < rows.size(); ++t) {
      auto const row = [&](std::vector<Real> const& values, std::size_t r) {
        return std::vector<Real>(values.begin() + static_cast<std::ptrdiff_t>(r * k),
                                 values.begin() + static_cast<std::ptrdiff_t>((r + 1) * k));
      };
      auto const r = place(rows[t]);
      bool const same = same_entries(row(all.factors, r), row(some.factors, t)) &&
                        (all.bias.empty() || all.bias[r] == some.bias[t]);
      if (!expect(same, "row " + std::to_string(r) + " has other bits " + what)) return;
    }
  }

  void not_finite_start() {
    auto o = options_;
    o.start = AlsStart::given;
    auto model = copy(start_);
    if (o.biases >= AlsBiases::fixed && model.user_bias.extent(0) == 0) {
      auto const with_biases = empty(true);
      model.user_bias = with_biases.user_bias;
      model.item_bias = with_biases.item_bias;
    }
    auto const& into = random_.chance(0.5) ? model.U : model.V;
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), into);
    host.data()[random_.index(static_cast<int>(host.size()))] = not_finite<Real>(random_);
    carroll::test::deep_copy(into, host);
    auto const info = als(Exec(), ratings_, model, o);
    auto numbers = entries(model);
    numbers.pop_back();  // the mean
    expect(info.status == Status::non_finite && all_nan_in(numbers),
           "factors given that are not finite: status " +
               std::string(carroll::to_string(info.status)));
  }

  void not_finite_fold() {
    auto const& rows = ratings_.by_user();
    if (rows.rating_count() == 0) return;
    auto model = copy(model_);
    if (!all_finite_in(entries(model))) return;
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), model.V);
    auto const item =
        drawn_->triples.items[place(random_.index(static_cast<int>(drawn_->triples.count())))];
    host(item, random_.index(k_)) = not_finite<Real>(random_);
    carroll::test::deep_copy(model.V, host);
    auto const result = fold(model, rows);
    expect(result.info.status == Status::non_finite && all_nan_in(result.factors),
           "V of fold_in is not finite: status " +
               std::string(carroll::to_string(result.info.status)));
    auto const bad = with_value(rows, place(random_.index(static_cast<int>(rows.rating_count()))),
                                not_finite<Real>(random_));
    expect(said([&] { fold(model_, bad); }).find("is not finite") != std::string::npos,
           "fold_in takes a rating that is not finite");
  }
};

}  // namespace

template <class Real>
void als_round(Round& round) {
  AlsRound<Real>(round).run();
}

template void als_round<float>(Round&);
template void als_round<double>(Round&);

}  // namespace carroll::test
