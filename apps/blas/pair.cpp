// SPDX-License-Identifier: BSD-3-Clause
#include "blas/pair.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "files/file_error.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

std::vector<double> widened(std::vector<float> const& values) {
  return {values.begin(), values.end()};
}

void widen(AnyEntries& any) {
  if (auto const* const x = std::get_if<HostEntries<float>>(&any)) {
    any = HostEntries<double>{x->rows, x->cols, x->by_rows, x->is_complex, widened(x->values)};
  }
}

template <class Real>
void make_complex(HostEntries<Real>& x) {
  if (x.is_complex) return;
  std::vector<Real> values(2 * x.values.size(), Real(0));
  for (std::size_t k = 0; k < x.values.size(); ++k) values[2 * k] = x.values[k];
  x.values = std::move(values);
  x.is_complex = true;
}

/// Column after column instead of row after row, or the other way round.
template <class Real>
void turn(HostEntries<Real>& x) {
  std::int64_t const minor = x.by_rows ? x.cols : x.rows, major = x.by_rows ? x.rows : x.cols;
  std::int64_t const parts = x.is_complex ? 2 : 1;
  std::vector<Real> values(x.values.size());
  for (std::int64_t i = 0; i < minor; ++i) {
    for (std::int64_t j = 0; j < major; ++j) {
      std::copy_n(x.values.begin() + (j * minor + i) * parts, parts,
                  values.begin() + (i * major + j) * parts);
    }
  }
  x.values = std::move(values);
  x.by_rows = !x.by_rows;
}

template <class Real>
bool is_vector(HostEntries<Real> const& x) {
  return x.rows == 1 || x.cols == 1;
}

template <class Real>
void pair_up(HostEntries<Real>& x, HostEntries<Real>& y, std::string const& x_file,
             std::string const& y_file) {
  bool const vectors = is_vector(x) && is_vector(y) && x.rows * x.cols == y.rows * y.cols;
  if (!vectors && (x.rows != y.rows || x.cols != y.cols)) {
    throw FileError(y_file, "is " + extents_text(y.rows, y.cols) + ", must be " +
                                extents_text(x.rows, x.cols) + " as " + x_file);
  }
  if (x.is_complex || y.is_complex) {
    make_complex(x);
    make_complex(y);
  }
  if (must_turn(x, y.rows, y.cols, y.by_rows)) turn(y);
}

}  // namespace

std::pair<AnyEntries, AnyEntries> paired(AnyEntries x, AnyEntries y, std::string const& x_file,
                                         std::string const& y_file) {
  if (x.index() != y.index()) {
    widen(x);
    widen(y);
  }
  std::visit(
      [&](auto& numbers) {
        using Entries = std::remove_reference_t<decltype(numbers)>;
        pair_up(numbers, std::get<Entries>(y), x_file, y_file);
      },
      x);
  return {std::move(x), std::move(y)};
}

void to_one_precision(std::vector<AnyMatrix>& all) {
  auto const is_double = [](AnyMatrix const& A) {
    return std::holds_alternative<HostMatrix<double>>(A);
  };
  if (std::ranges::none_of(all, is_double)) return;
  for (AnyMatrix& any : all) {
    if (auto const* const A = std::get_if<HostMatrix<float>>(&any)) {
      any = HostMatrix<double>{A->rows, A->cols, widened(A->values)};
    }
  }
}

}  // namespace carroll::tool
