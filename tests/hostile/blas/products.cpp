// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices, and with vectors, and combinations of arrays: the same bits over all ways
// to them, those of formulas where they promise any, and long double's numbers.
#include <string_view>

#include "hostile/blas/elementwise_round.hpp"
#include "hostile/blas/gemm_round.hpp"
#include "hostile/blas/gemv_round.hpp"
#include "hostile/round.hpp"

namespace carroll::test {

std::string_view const hostile_name = "products";
std::string_view const hostile_about =
    "gemv, gemm by all methods, add and axpby of all scalar types, ops, alpha and beta, in batches "
    "and every layout: the same bits alone and elsewhere; gemv, add and axpby those of dot and of "
    "their formulas; all within their bounds of sums in long double, exactly for small integers; "
    "nothing else written, and nothing read that must not be.";
std::string_view const hostile_kinds =
    detail::has_vendor_product
        ? "gemv,gemm,add,axpby,naive,tiled,blocked,vendor,single,double,complex_single,"
          "complex_double"
        : "gemv,gemm,add,axpby,naive,tiled,blocked,single,double,complex_single,complex_double";

namespace {

constexpr std::string_view functions[] = {"gemv", "gemm", "add", "axpby"};
constexpr GemmMethod methods[] = {GemmMethod::automatic, GemmMethod::blocked, GemmMethod::blocked,
                                  GemmMethod::naive,     GemmMethod::tiled,   GemmMethod::vendor};

template <class T>
void one_round(Round& round, std::string_view function, GemmMethod method) {
  if (function == "gemv")
    GemvRound<T>(round).run();
  else if (function == "gemm")
    GemmRound<T>(round, method).run();
  else
    ElementwiseRound<T>(round, function == "add").run();
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  Random& random = round.random;
  int const drawn = random.index(10);
  std::string_view function = functions[drawn < 3 ? 0 : drawn < 8 ? 1 : drawn - 6];
  GemmMethod method = methods[random.index(detail::has_vendor_product ? 6 : 5)];
  int scalar = random.index(4);
  for (std::string_view const name : functions)
    if (kind == name) function = name;
  for (GemmMethod const one : methods)
    if (kind == to_string(one)) function = "gemm", method = one;
  constexpr std::string_view scalars[] = {"single", "double", "complex_single", "complex_double"};
  for (int s = 0; s < 4; ++s)
    if (kind == scalars[s]) scalar = s;
  switch (scalar) {
    case 0: return one_round<float>(round, function, method);
    case 1: return one_round<double>(round, function, method);
    case 2: return one_round<Kokkos::complex<float>>(round, function, method);
    default: return one_round<Kokkos::complex<double>>(round, function, method);
  }
}

}  // namespace carroll::test
