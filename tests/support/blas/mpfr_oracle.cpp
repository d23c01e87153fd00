// SPDX-License-Identifier: BSD-3-Clause
#include "support/blas/mpfr_oracle.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#ifdef CARROLL_TEST_HAVE_MPFR
#include <mpfr.h>
#endif

namespace carroll::test {

#ifdef CARROLL_TEST_HAVE_MPFR

bool have_mpfr() {
  return true;
}

namespace {

/// A number of MPFR's.
struct Number {
  mpfr_t x;
  explicit Number(mpfr_prec_t bits) { mpfr_init2(x, bits); }
  ~Number() { mpfr_clear(x); }
  Number(Number const&) = delete;
  Number& operator=(Number const&) = delete;
};

/// Terms as MPFR adds them. Their memory is kept from one sum to the next.
class Terms {
 public:
  explicit Terms(std::vector<ExactTerm> const& terms, bool absolute = false)
      : count_(terms.size()) {
    std::vector<mpfr_t*>& pool = shared().numbers;
    while (pool.size() < count_) {
      pool.push_back(new mpfr_t[1]);
      mpfr_init2(*pool.back(), product_bits);
    }
    pointers_.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      auto const [a, b] = terms[i];
      mpfr_t& x = *pool[i];
      mpfr_set_d(x, a, MPFR_RNDN);
      // Exact: 53 bits by 53.
      if (b != 1) mpfr_mul_d(x, x, b, MPFR_RNDN);
      if (absolute) mpfr_abs(x, x, MPFR_RNDN);
      pointers_.push_back(x);
    }
  }
  /// Correctly rounded to the digits that `sum` has. Returns on which side of Σ it is.
  int add_into(mpfr_t& sum) const { return mpfr_sum(sum, pointers_.data(), count_, MPFR_RNDN); }

 private:
  static constexpr mpfr_prec_t product_bits = 106;
  struct Pool {
    std::vector<mpfr_t*> numbers;
    ~Pool() {
      for (mpfr_t* x : numbers) {
        mpfr_clear(*x);
        delete[] x;
      }
    }
  };
  static Pool& shared() {
    thread_local Pool pool;
    return pool;
  }
  std::size_t count_;
  std::vector<mpfr_ptr> pointers_;
};

/// Enough for every sum of products of doubles to be exact.
constexpr mpfr_prec_t all_bits = 4500;

/// What has been rounded to Real's digits, to Real's range. `side`: as the function that rounded it
/// has returned it.
template <class Real>
Real in_range(mpfr_t& x, int side) {
  using Limits = std::numeric_limits<Real>;
  mpfr_exp_t const least = mpfr_get_emin(), most = mpfr_get_emax();
  mpfr_set_emin(Limits::min_exponent - Limits::digits + 1);
  mpfr_set_emax(Limits::max_exponent);
  side = mpfr_check_range(x, side, MPFR_RNDN);
  mpfr_subnormalize(x, side, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  return static_cast<Real>(mpfr_get_d(x, MPFR_RNDN)) + Real(0);  // exact, and no -0
}

long double distance(mpfr_t& exact, double value) {
  Number difference(80);
  mpfr_sub_d(difference.x, exact, value, MPFR_RNDN);
  return std::abs(mpfr_get_ld(difference.x, MPFR_RNDN));
}
long double magnitude_of(std::vector<ExactTerm> const& terms) {
  Number sum(80);
  Terms(terms, true).add_into(sum.x);
  return mpfr_get_ld(sum.x, MPFR_RNDU);
}

}  // namespace

template <class Real>
Real nearest_to_sum(std::vector<ExactTerm> const& terms) {
  Number sum(std::numeric_limits<Real>::digits);
  int const side = Terms(terms).add_into(sum.x);
  return in_range<Real>(sum.x, side);
}
template <class Real>
Real nearest_to_root(std::vector<ExactTerm> const& terms) {
  Number sum(all_bits), root(std::numeric_limits<Real>::digits);
  Terms(terms).add_into(sum.x);
  int const side = mpfr_sqrt(root.x, sum.x, MPFR_RNDN);
  return in_range<Real>(root.x, side);
}

SumDistance distance_to_sum(double value, std::vector<ExactTerm> const& terms) {
  Number sum(all_bits);
  Terms(terms).add_into(sum.x);
  return {distance(sum.x, value), std::abs(mpfr_get_ld(sum.x, MPFR_RNDN)), magnitude_of(terms)};
}
SumDistance distance_to_root(double value, std::vector<ExactTerm> const& terms) {
  Number sum(all_bits), root(200);
  Terms(terms).add_into(sum.x);
  mpfr_sqrt(root.x, sum.x, MPFR_RNDN);
  return {distance(root.x, value), mpfr_get_ld(root.x, MPFR_RNDN), magnitude_of(terms)};
}

#else

bool have_mpfr() {
  return false;
}

template <class Real>
Real nearest_to_sum(std::vector<ExactTerm> const&) {
  return std::numeric_limits<Real>::quiet_NaN();
}
template <class Real>
Real nearest_to_root(std::vector<ExactTerm> const&) {
  return std::numeric_limits<Real>::quiet_NaN();
}
SumDistance distance_to_sum(double, std::vector<ExactTerm> const&) {
  return {};
}
SumDistance distance_to_root(double, std::vector<ExactTerm> const&) {
  return {};
}

#endif

template float nearest_to_sum<float>(std::vector<ExactTerm> const&);
template double nearest_to_sum<double>(std::vector<ExactTerm> const&);
template float nearest_to_root<float>(std::vector<ExactTerm> const&);
template double nearest_to_root<double>(std::vector<ExactTerm> const&);

}  // namespace carroll::test
