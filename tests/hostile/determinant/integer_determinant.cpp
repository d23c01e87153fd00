// SPDX-License-Identifier: BSD-3-Clause
// Determinants of integers against FLINT's, with and without early termination.
#include <carroll/integer_determinant.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hostile/determinant/square_matrices.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/determinant/flint_oracle.hpp"
#include "support/determinant/integer_matrices.hpp"

namespace carroll::test {

std::string_view const hostile_name = "integer_determinant";
std::string_view const hostile_about =
    "Determinants of random matrices of integers: exact, the same for every layout and type, "
    "proven where they say "
    "so, and 0 only where that is so, also where the determinant is a product of the very primes "
    "that are used.";
std::string_view const hostile_kinds = "small,wide,primes,dependent,sparse";

namespace {

/// det A in decimal, by Bareiss' elimination in 128 bits; empty where that might not do. For builds
/// without FLINT.
std::string bareiss(IntegerMatrix A) {
  __extension__ typedef __int128 Wide;
  int const n = A.rows;
  long double bits = 0;
  for (int i = 0; i < n; ++i) {
    long double square = 0;
    for (int j = 0; j < n; ++j)
      square += static_cast<long double>(A(i, j)) * static_cast<long double>(A(i, j));
    bits += std::log2(std::max(square, 1.0L)) / 2;
  }
  if (2 * bits + 2 > 126) return {};
  Wide last = 1;
  int sign = 1;
  std::vector<Wide> a;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a.push_back(A(i, j));
  auto const at = [&](int i, int j) -> Wide& { return a[static_cast<std::size_t>(i * n + j)]; };
  for (int k = 0; k < n; ++k) {
    int p = k;
    while (p < n && at(p, k) == 0) ++p;
    if (p == n) return "0";
    if (p != k) {
      for (int j = 0; j < n; ++j) std::swap(at(p, j), at(k, j));
      sign = -sign;
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) at(i, j) = (at(i, j) * at(k, k) - at(i, k) * at(k, j)) / last;
    last = at(k, k);
  }
  Wide value = last * sign;
  if (value == 0) return "0";
  std::string digits;
  bool const negative = value < 0;
  for (; value != 0; value /= 10) {
    int const digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return (negative ? "-" : "") + digits;
}

class IntegerRound {
 public:
  IntegerRound(Round& round, std::string_view kind) : round_(round), random_(round.random) {
    draw(kind);
  }

  void run() {
    auto const proven = run_integer_determinant(A_);
    std::string exact = have_flint() ? flint_determinant(A_) : bareiss(A_);
    if (exact.empty()) exact = proven.to_string();
    check(proven, exact, "proven");
    round_.expect(proven.proven, name_ + ": not proven, though that was asked for");
    // Where launches are dear, one of the ways; the next matrix takes another.
    int const way = on_device ? random_.index(3) : -1;
    auto const takes = [&](int k) { return way < 0 || way == k; };
    if (takes(0))
      check(run_integer_determinant<std::int64_t, Kokkos::LayoutStride>(A_), exact, "LayoutStride");
    if (takes(1) && fits_int())
      check(run_integer_determinant<std::int32_t, Kokkos::LayoutLeft>(A_), exact, "std::int32_t");
    IntegerDeterminantOptions options;
    options.workspace_bytes = static_cast<std::size_t>(random_.index(100000));
    if (takes(2)) check(run_integer_determinant(A_, options), exact, "little workspace");
    for (int k = 0; k < 3; ++k)
      if (takes(k)) early(1 << k, exact, proven.primes);
    round_.checked(1);
  }

 private:
  void draw(std::string_view wanted) {
    constexpr std::string_view kinds[] = {"small", "wide", "primes", "dependent", "sparse"};
    std::string_view const kind = wanted.empty() ? kinds[random_.index(5)] : wanted;
    int const n = random_.chance(0.97) ? random_.index(12) : hostile_order(random_, 100);
    int const bits = kind == "small"    ? 1 + random_.index(6)
                     : kind == "sparse" ? 30
                                        : 1 + random_.index(64);
    auto const entry = [&] { return static_cast<std::int64_t>(word()) >> (64 - bits); };
    A_ = make_integers(n, [&](int, int) { return entry(); });
    if (kind == "sparse")
      for (auto& x : A_.data) x = random_.chance(0.7) ? 0 : x;
    if (kind == "dependent" && n > 1)
      for (int j = 0; j < n; ++j) A_(n - 1, j) = A_(0, j) / 2 * 2, A_(0, j) = A_(n - 1, j) / 2;
    if (kind == "primes") of_primes(n);
    name_ = std::string(kind) + ", n " + std::to_string(n) + ", entries of " +
            std::to_string(bits) + " bits";
  }
  std::uint64_t word() {
    auto const half = [&] { return static_cast<std::uint64_t>(random_.uniform() * 0x1p32); };
    std::uint64_t const high = half();
    return high << 32U | half();
  }
  /// A triangle with primes of 29 bits, or products of two of them, on its diagonal, times
  /// unimodular ones.
  void of_primes(int n) {
    A_ = make_integers(n, [&](int i, int j) {
      return i == j ? prime() : j > i ? random_.index(7) - 3 : 0;
    });
    for (int i = 0; i < n; ++i)
      if (random_.chance(0.2)) A_(i, i) *= prime();
    constexpr std::int64_t most = std::int64_t{1} << 61;
    for (int i = 1; i < n; ++i) {
      bool small = random_.chance(0.5);
      for (int j = 0; j < n; ++j)
        small = small && std::abs(A_(i, j)) < most && std::abs(A_(i - 1, j)) < most;
      for (int j = 0; j < n && small; ++j) A_(i, j) += A_(i - 1, j);
    }
  }
  std::int64_t prime() {
    if (random_.chance(0.2)) return 380790511;
    for (std::int64_t p = (std::int64_t{1} << 28) +
                          static_cast<std::int64_t>(random_.uniform() * 0x1p28) / 2 * 2 + 1;
         ; p += 2) {
      bool is_prime = true;
      for (std::int64_t d = 3; d * d <= p && is_prime; d += 2) is_prime = p % d != 0;
      if (is_prime) return p;
    }
  }
  [[nodiscard]] bool fits_int() const {
    for (auto const x : A_.data)
      if (x != static_cast<std::int32_t>(x)) return false;
    return true;
  }

  void check(IntegerDeterminant const& det, std::string const& exact, std::string const& way) {
    std::string const text = det.to_string();
    round_.expect(text == exact, name_ + ", " + way + ": " + text + ", is " + exact);
    round_.expect((det.status == Status::singular) == (exact == "0") &&
                      (det.status == Status::singular || det.status == Status::success) &&
                      (det.sign == 0) == (exact == "0") && (det.sign < 0) == (exact[0] == '-') &&
                      det.limbs.empty() == (exact == "0"),
                  name_ + ", " + way + ": status " + std::string(to_string(det.status)) +
                      ", sign " + std::to_string(det.sign) + " of " + exact);
    double const nearest = std::strtod(exact.c_str(), nullptr);
    round_.expect(static_cast<double>(det) == nearest,
                  name_ + ", " + way + ": wrong double of " + exact);
  }
  void early(int k, std::string const& exact, int primes) {
    IntegerDeterminantOptions options;
    options.early_termination = k;
    std::string const way = "early_termination " + std::to_string(k);
    auto const det = run_integer_determinant(A_, options);
    // One more prime leaves a wrong value as it was too often for as many matrices as are tried
    // here.
    if (k > 1 || det.proven) check(det, exact, way);
    round_.expect(det.status != Status::singular || det.proven,
                  name_ + ", " + way + ": singular without a proof");
    round_.expect(det.primes <= primes + primes / 20 + 1,
                  name_ + ", " + way + ": more primes than a proof takes");
    auto const again = run_integer_determinant<std::int64_t, Kokkos::LayoutLeft>(A_, options);
    round_.expect(again.primes == det.primes && again.limbs == det.limbs,
                  name_ + ", " + way + ": another result");
  }

  Round& round_;
  Random& random_;
  IntegerMatrix A_;
  std::string name_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  IntegerRound(round, kind).run();
}

}  // namespace carroll::test
