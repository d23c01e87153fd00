// SPDX-License-Identifier: BSD-3-Clause
#include "compress/singular.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/svd.hpp>
#include <cmath>

namespace carroll::tool {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Exec::memory_space>;
using Values = Kokkos::View<double*, Exec::memory_space>;

/// The matrix's entry (row, column) in the picture: channel `first` of it, or all side by side.
std::size_t place_of(PictureShape const& shape, int first, std::int64_t row, std::int64_t column) {
  auto const channel = first + column / shape.width;
  return static_cast<std::size_t>((row * shape.width + column % shape.width) * shape.channels +
                                  channel);
}

std::vector<double> columns_of(Matrix const& device) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
  return {host.data(), host.data() + host.size()};
}

SingularMatrix decompose_matrix(SamplePicture const& picture, int first, int channels, bool centred,
                                std::string& status) {
  auto const shape = shape_of(picture);
  SingularMatrix matrix;
  matrix.rows = shape.height;
  matrix.columns = shape.width * channels;
  auto const rows = static_cast<std::size_t>(matrix.rows);
  auto const columns = static_cast<std::size_t>(matrix.columns);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const host("carroll::tool::levels",
                                                                           rows, columns);
  double sum = 0;  // of integers, exact
  for (std::int64_t j = 0; j < matrix.columns; ++j)
    for (std::int64_t i = 0; i < matrix.rows; ++i)
      sum += host(i, j) = picture.levels[place_of(shape, first, i, j)];
  // As a reader has it, in single precision.
  if (centred) matrix.mean = static_cast<float>(sum / static_cast<double>(host.size()) / 257);
  for (std::size_t e = 0; e < host.size(); ++e) host.data()[e] = host.data()[e] / 257 - matrix.mean;

  Exec const exec;
  auto const count = std::min(rows, columns);
  Matrix const A("carroll::tool::A", rows, columns), U("carroll::tool::U", rows, count),
      V("carroll::tool::V", columns, count);
  Values const S("carroll::tool::S", count);
  detail::copy_view(exec, A, host);
  auto const info = svd(exec, A, U, S, V);
  if (info.status != Status::success) status = to_string(info.status);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S);
  matrix.values.assign(values.data(), values.data() + count);
  matrix.U = columns_of(U);
  matrix.V = columns_of(V);
  return matrix;
}

/// `rank` columns, each scaled to integers of 16 bits by its largest entry, which is appended to
/// `scales` over the largest integer, times √σ.
void append_columns(std::vector<double> const& columns, std::int64_t length, std::int64_t rank,
                    std::vector<double> const& values, MatrixFactors& to) {
  constexpr double largest_integer = 32767;
  for (std::int64_t r = 0; r < rank; ++r) {
    auto const begin = columns.begin() + r * length;
    double largest = 0;
    for (auto entry = begin; entry != begin + length; ++entry)
      largest = std::max(largest, std::abs(*entry));
    double const root = std::sqrt(values[static_cast<std::size_t>(r)]);
    to.scales.push_back(static_cast<float>(root * largest / largest_integer));
    for (auto entry = begin; entry != begin + length; ++entry)
      to.entries.push_back(static_cast<std::int16_t>(
          largest > 0 ? std::lround(*entry / largest * largest_integer) : 0));
  }
}

}  // namespace

SingularPicture decompose_picture(SamplePicture const& picture, bool whole, bool centred) {
  SingularPicture found;
  found.shape = {picture.width, picture.height, picture.channels, picture.bits};
  found.status = "success";
  int const channels = whole ? picture.channels : 1;
  for (int first = 0; first < picture.channels; first += channels)
    found.matrices.push_back(decompose_matrix(picture, first, channels, centred, found.status));
  return found;
}

CompressedPicture truncate(SingularPicture const& picture, std::vector<std::int64_t> const& ranks) {
  CompressedPicture code;
  code.shape = picture.shape;
  code.code = PictureCode::singular_values;
  for (std::size_t m = 0; m < picture.matrices.size(); ++m) {
    auto const& matrix = picture.matrices[m];
    MatrixFactors factors;
    factors.mean = static_cast<float>(matrix.mean);
    factors.rows = matrix.rows;
    factors.columns = matrix.columns;
    factors.rank = static_cast<int>(ranks[m]);
    append_columns(matrix.U, matrix.rows, ranks[m], matrix.values, factors);
    append_columns(matrix.V, matrix.columns, ranks[m], matrix.values, factors);
    code.matrices.push_back(std::move(factors));
  }
  return code;
}

SamplePicture decode_singular(CompressedPicture const& picture) {
  auto const& shape = picture.shape;
  SamplePicture decoded = black_picture(shape);
  double const unit = shape.bits == 8 ? 257 : 1;  // levels are multiples of it
  int first = 0;
  for (auto const& matrix : picture.matrices) {
    auto const* const columns = matrix.entries.data();
    auto const* const rows = columns + matrix.rank * matrix.rows;
    std::vector<double> weights;  // of products of integers
    for (std::size_t r = 0; r < static_cast<std::size_t>(matrix.rank); ++r)
      weights.push_back(double{matrix.scales[r]} *
                        double{matrix.scales[r + static_cast<std::size_t>(matrix.rank)]});
    using Host = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "carroll::tool::decode_singular",
        Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, matrix.rows),
        [&](std::int64_t i) {
          std::vector<double> row(static_cast<std::size_t>(matrix.columns), matrix.mean);
          for (int r = 0; r < matrix.rank; ++r) {
            double const u = weights[static_cast<std::size_t>(r)] * columns[r * matrix.rows + i];
            auto const* const v = rows + r * matrix.columns;
            for (std::size_t j = 0; j < row.size(); ++j) row[j] += u * v[j];
          }
          for (std::int64_t j = 0; j < matrix.columns; ++j) {
            double const level = row[static_cast<std::size_t>(j)] * 257 / unit;
            double const whole = std::floor(std::clamp(level, 0.0, 65535 / unit) + .5);
            decoded.levels[place_of(shape, first, i, j)] = static_cast<std::uint16_t>(whole * unit);
          }
        });
    first += static_cast<int>(matrix.columns / shape.width);
  }
  return decoded;
}

}  // namespace carroll::tool
