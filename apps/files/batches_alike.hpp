// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <utility>
#include <variant>

#include "files/batch_file.hpp"
#include "files/complex_matrix.hpp"

/// Batches of two files as numbers of one type.
namespace carroll::tool {

/// Of a type that holds all that `any` does: as precise at least, and complex if that is.
template <class Number>
HostBatch<Number> batch_as(AnyFieldBatch&& any) {
  if (auto* same = std::get_if<HostBatch<Number>>(&any)) return std::move(*same);
  return std::visit(
      []<class Own>(HostBatch<Own> const& batch) {
        HostBatch<Number> widened{batch.all, batch.members, batch.rows, batch.cols, {}};
        if constexpr (is_complex_number<Number> || !is_complex_number<Own>) {
          widened.values.reserve(batch.values.size());
          for (auto const& x : batch.values) widened.values.push_back(static_cast<Number>(x));
        }
        return widened;
      },
      any);
}

/// make(Number()) of the least type that holds the numbers of both.
template <class Make>
auto with_type_of_both(AnyFieldBatch const& A, AnyFieldBatch const& B, Make const& make) {
  bool const complex = A.index() >= 2 || B.index() >= 2;
  bool const single = A.index() % 2 == 0 && B.index() % 2 == 0;
  if (complex) return single ? make(std::complex<float>()) : make(std::complex<double>());
  return single ? make(0.0F) : make(0.0);
}

}  // namespace carroll::tool
