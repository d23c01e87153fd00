// SPDX-License-Identifier: BSD-3-Clause
#include "files/batch_file.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "files/complex_matrix.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/npy/reader.hpp"

namespace carroll::tool {

namespace {

/// From the fastest index first, as Fortran has it, to the fastest last.
template <class Number>
std::vector<Number> by_members(HostBatch<Number> const& batch, std::vector<Number> const& fortran) {
  std::vector<Number> values(fortran.size());
  std::size_t from = 0;
  for (std::int64_t j = 0; j < batch.cols; ++j)
    for (std::int64_t i = 0; i < batch.rows; ++i)
      for (std::int64_t b = 0; b < batch.members; ++b)
        values[static_cast<std::size_t>((b * batch.rows + i) * batch.cols + j)] = fortran[from++];
  return values;
}

/// Numbers whose parts lie one after the other.
template <class Number>
std::vector<Number> of_parts(std::vector<PartOf<Number>>&& parts) {
  if constexpr (is_complex_number<Number>) {
    std::vector<Number> values;
    values.reserve(parts.size() / 2);
    for (std::size_t k = 0; k < parts.size(); k += 2) values.emplace_back(parts[k], parts[k + 1]);
    return values;
  } else {
    return std::move(parts);
  }
}

template <class Number>
HostBatch<Number> read_members(InputFile& file, NpyHeader const& header, MemberChoice const& part) {
  check_extents(file, header.rows, header.cols, 1);
  auto const [begin, end] = part(header.rows);
  HostBatch<Number> batch{header.rows, end - begin, header.member_rows, header.member_cols, {}};
  auto values = of_parts<Number>(read_npy_numbers<PartOf<Number>>(
      file, header, runs_of(header, {begin, end, 0, header.cols})));
  batch.values = header.fortran_order ? by_members(batch, values) : std::move(values);
  return batch;
}

/// The header of a batch.
NpyHeader read_batch_header(InputFile& file, bool complex) {
  NpyHeader const header = read_npy_header(file, {.complex = complex, .batches = true});
  if (!header.is_batch) file.fail("has 2 dimensions, expected a batch with 3");
  return header;
}

template <class Number>
HostBatch<Number> batch_of_one(HostMatrix<Number> const& A) {
  HostBatch<Number> batch{1, 1, A.rows, A.cols, {}};
  batch.values.reserve(A.values.size());
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (std::int64_t j = 0; j < A.cols; ++j) batch.values.push_back(A(i, j));
  return batch;
}

}  // namespace

bool is_batch(std::string const& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  try {
    InputFile file(path);
    return file.peek(npy_magic.size()) == npy_magic &&
           read_npy_header(file, {.complex = true, .batches = true}).is_batch;
  } catch (FileError const&) {
    return false;
  }
}

AnyBatch read_batch(std::string const& path, std::optional<Precision> precision,
                    MemberChoice const& part) {
  InputFile file(path);
  NpyHeader const header = read_batch_header(file, false);
  if (precision_to_use(header, precision) == Precision::single_precision)
    return read_members<float>(file, header, part);
  return read_members<double>(file, header, part);
}

AnyFieldBatch read_field_batch(std::string const& path, std::optional<Precision> precision,
                               MemberChoice const& part) {
  InputFile file(path);
  NpyHeader const header = read_batch_header(file, true);
  bool const single = precision_to_use(header, precision) == Precision::single_precision;
  if (header.parts == 2) {
    if (single) return read_members<std::complex<float>>(file, header, part);
    return read_members<std::complex<double>>(file, header, part);
  }
  if (single) return read_members<float>(file, header, part);
  return read_members<double>(file, header, part);
}

AnyBatch read_batch_of_one(std::string const& path, std::optional<Precision> precision,
                           bool* is_vector) {
  return std::visit([](auto const& A) -> AnyBatch { return batch_of_one(A); },
                    read_matrix(path, precision, is_vector));
}

AnyFieldBatch read_field_batch_of_one(std::string const& path, std::optional<Precision> precision,
                                      bool* is_vector) {
  return std::visit(
      [](auto const& any) {
        return std::visit([](auto const& A) -> AnyFieldBatch { return batch_of_one(A); }, any);
      },
      read_real_or_complex(path, precision, is_vector));
}

}  // namespace carroll::tool
