// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/sum.hpp>
#include <carroll/truncated_svd.hpp>

#include "recommend/methods.hpp"

namespace carroll::tool {

namespace {

/// The mean of each user's ratings, and a dense matrix of what they are above it; 0 for what is not
/// rated. A thread a user.
template <class Real>
struct CentreRows {
  RatingRows<Real, Memory> rows;
  RatingVector<Real> biases;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> dense;
  Real mean;
  KOKKOS_FUNCTION void operator()(std::int64_t u) const {
    std::int64_t const begin = rows.offsets(u), end = rows.offsets(u + 1);
    double sum = 0;
    for (std::int64_t e = begin; e < end; ++e) sum += static_cast<double>(rows.values(e));
    double const own =
        end > begin ? sum / static_cast<double>(end - begin) : static_cast<double>(mean);
    biases(u) = static_cast<Real>(own - static_cast<double>(mean));
    for (std::int64_t e = begin; e < end; ++e)
      dense(u, rows.columns(e)) = static_cast<Real>(static_cast<double>(rows.values(e)) - own);
  }
};

template <class Real>
struct ScaleColumns {
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> U;
  RatingVector<Real> S;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const k = static_cast<std::int64_t>(U.extent(1));
    U(e / k, e % k) *= S(e % k);
  }
};

}  // namespace

/// r̄_u + Σ σ·u·v, the course's §5.2.13.
template <class Real>
Learnt<Real> learn_svd(Lesson<Real> const& lesson) {
  auto const& [exec, ratings, options, users, items, progress] = lesson;
  auto const m = static_cast<std::size_t>(ratings.users()), n = std::size_t(ratings.items());
  auto const k = std::min({m, n, static_cast<std::size_t>(options.factors)});
  FactorModel<Real, Memory> model;
  using Matrix = typename FactorModel<Real, Memory>::Factors;
  auto const dense = detail::allocate_matrix<Matrix>(exec, "the dense matrix of ratings", m, n);
  Kokkos::deep_copy(exec, dense, Real(0));
  model.U = detail::allocate_matrix<Matrix>(exec, "carroll::tool::U", m, k);
  model.V = detail::allocate_matrix<Matrix>(exec, "carroll::tool::V", n, k);
  model.user_bias =
      detail::allocate<RatingVector<Real>>(exec, "carroll::tool::biases", ratings.users());
  auto const S =
      detail::allocate<RatingVector<Real>>(exec, "carroll::tool::S", static_cast<std::int64_t>(k));
  if (ratings.count() > 0)
    model.mean = sum(exec, ratings.by_user().values).value / static_cast<Real>(ratings.count());
  Kokkos::parallel_for("carroll::tool::centre", detail::Range<ExecSpace>(exec, 0, ratings.users()),
                       CentreRows<Real>{ratings.by_user(), model.user_bias, dense, model.mean});
  TruncatedSvdOptions svd_options;
  svd_options.seed = options.seed;
  auto const info = truncated_svd(exec, dense, model.U, S, model.V, svd_options);
  Kokkos::parallel_for("carroll::tool::scale",
                       detail::Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(m * k)),
                       ScaleColumns<Real>{model.U, S});
  exec.fence("carroll::tool: svd");
  Learnt<Real> learnt;
  learnt.model = model;
  // What is not converged is noise, of which recommendations do not depend.
  if (info.status == Status::non_finite) learnt.status = to_string(info.status);
  return learnt;
}

template Learnt<float> learn_svd(Lesson<float> const&);
template Learnt<double> learn_svd(Lesson<double> const&);

}  // namespace carroll::tool
