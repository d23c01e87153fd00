// SPDX-License-Identifier: BSD-3-Clause
#include "files/matrix_file.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

#include "files/complex_matrix.hpp"
#include "files/limits.hpp"
#include "files/matrix_market/reader.hpp"
#include "files/npy/reader.hpp"

namespace carroll::tool {

namespace {

bool begins_like_matrix_market(std::string_view bytes) {
  return std::equal(bytes.begin(), bytes.end(), matrix_market_banner.begin(),
                    matrix_market_banner.end(), [](char a, char b) {
                      return std::tolower(static_cast<unsigned char>(a)) ==
                             std::tolower(static_cast<unsigned char>(b));
                    });
}

/// True for names such as matrix.mtx and MATRIX.MTX when `extension` is ".mtx".
bool has_extension(std::string_view path, std::string_view extension) {
  if (path.size() < extension.size()) return false;
  return std::ranges::equal(
      path.substr(path.size() - extension.size()), extension, [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
      });
}

/// Tells a Matrix Market file from a .npy file, of which it reads the header. FileError if it is
/// neither.
std::optional<NpyHeader> begin(InputFile& file, std::string const& path,
                               NpyAllowed const& allowed = {}) {
  if (file.peek(1).empty()) file.fail("is empty, expected a .npy or .mtx file");
  bool const matrix_market =
      begins_like_matrix_market(file.peek(matrix_market_banner.size())) ||
      (has_extension(path, ".mtx") && file.peek(npy_magic.size()) != npy_magic);
  if (matrix_market) return std::nullopt;
  if (file.peek(4) == std::string_view("PK\x03\x04")) {
    file.fail("is a ZIP archive, perhaps .npz; save one array with numpy.save instead");
  }
  if (file.peek(npy_magic.size()) != npy_magic && !has_extension(path, ".npy")) {
    file.fail("is neither a NumPy .npy nor a Matrix Market .mtx file");
  }
  return read_npy_header(file, allowed);
}

/// The array of a .npy file.
AnyMatrix read_numbers(InputFile& file, NpyHeader const& header,
                       std::optional<Precision> precision) {
  if (precision_to_use(header, precision) == Precision::single_precision) {
    return read_npy<float>(file, header);
  }
  return read_npy<double>(file, header);
}

/// Does the banner of a Matrix Market file say so?
bool is_complex_matrix_market(InputFile& file) {
  std::string line(file.peek(200));
  line.resize(std::min(line.find('\n'), line.size()));
  for (char& letter : line)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  std::istringstream words(line);
  std::string word;
  for (int k = 0; k < 4; ++k) words >> word;
  return !words.fail() && word == "complex";
}

template <class Real>
AnyComplexMatrix read_complex(InputFile& file, std::optional<NpyHeader> const& header) {
  using Complex = std::complex<Real>;
  if (!header) return read_matrix_market<Complex>(file);
  auto const parts = read_npy_numbers<Real>(file, *header);
  HostMatrix<Complex> A{header->rows, header->cols, std::vector<Complex>(parts.size() / 2)};
  for (std::int64_t j = 0; j < A.cols; ++j) {
    for (std::int64_t i = 0; i < A.rows; ++i) {
      auto const k =
          static_cast<std::size_t>(header->fortran_order ? j * A.rows + i : i * A.cols + j);
      A(i, j) = {parts[2 * k], parts[2 * k + 1]};
    }
  }
  return A;
}

template <class Real>
HostEntries<Real> npy_entries(InputFile& file, NpyHeader const& header, EntryChoice const& part) {
  HostEntries<Real> x{header.rows, header.cols, !header.fortran_order, header.parts == 2, {}};
  if (!part) {
    x.values = read_npy_numbers<Real>(file, header);
  } else {
    check_extents(file, header.rows, header.cols, 1);
    auto const [begin, end] = part(header.rows, header.cols, x.by_rows);
    x.values = read_npy_numbers<Real>(file, header, {begin, end - begin});
  }
  return x;
}

template <class Real>
AnyEntries matrix_market_entries(InputFile& file, EntryChoice const& part) {
  auto A = read_matrix_market<Real>(file);
  AnyEntries entries = HostEntries<Real>{A.rows, A.cols, false, false, std::move(A.values)};
  if (part) keep(entries, part);
  return entries;
}

/// Writes a block of A to B, from a row of B's on.
template <class Real>
void copy_block(HostMatrix<Real> const& A, Block const& block, HostMatrix<Real>& B,
                std::int64_t to_row) {
  for (std::int64_t j = 0; j < block.cols(); ++j) {
    auto const column = A.values.begin() + (block.col_begin + j) * A.rows;
    std::copy(column + block.row_begin, column + block.row_end,
              B.values.begin() + j * B.rows + to_row);
  }
}

template <class Real>
HostMatrix<Real> zeros(std::int64_t rows, std::int64_t cols) {
  return {rows, cols, std::vector<Real>(static_cast<std::size_t>(rows * cols))};
}

template <class Real>
HostMatrix<Real> read_block_as(InputFile& file, std::optional<NpyHeader> const& header,
                               BlockChoice const& choice) {
  constexpr Precision precision = precision_of<Real>;
  if (header) return read_npy<Real>(file, *header, choice(header->rows, header->cols, precision));
  auto const A = read_matrix_market<Real>(file);
  Block const block = choice(A.rows, A.cols, precision);
  auto B = zeros<Real>(block.rows(), block.cols());
  copy_block(A, block, B, 0);
  return B;
}

template <class Real>
HostMatrix<Real> read_rows_as(InputFile& file, std::string const& path,
                              std::optional<NpyHeader> const& header, RowChoice const& choice) {
  HostMatrix<Real> whole;  // of a file of text
  if (!header) whole = read_matrix_market<Real>(file);
  std::int64_t const cols = header ? header->cols : whole.cols;
  auto const ranges = choice(header ? header->rows : whole.rows, cols, precision_of<Real>);
  std::int64_t rows = 0;
  for (auto const& [begin, end] : ranges) rows += end - begin;
  if (header) check_extents(file, header->rows, cols, std::int64_t{sizeof(Real)});
  auto B = zeros<Real>(rows, cols);
  rows = 0;
  for (auto const& [begin, end] : ranges) {
    if (!header) {
      copy_block(whole, {begin, end, 0, cols}, B, rows);
    } else {
      // A reader goes through a file once, from its begin.
      InputFile again(path);
      NpyHeader const same = read_npy_header(again);
      auto const part = read_npy<Real>(again, same, {begin, end, 0, cols});
      copy_block(part, {0, end - begin, 0, cols}, B, rows);
    }
    rows += end - begin;
  }
  return B;
}

Precision wanted_precision(std::optional<NpyHeader> const& header,
                           std::optional<Precision> precision) {
  return header ? precision_to_use(*header, precision)
                : precision.value_or(Precision::double_precision);
}

}  // namespace

AnyMatrix read_matrix(std::string const& path, std::optional<Precision> precision,
                      bool* is_vector) {
  InputFile file(path);
  auto const header = begin(file, path, {.vectors = is_vector != nullptr});
  if (is_vector) *is_vector = header && header->is_vector;
  if (header) return read_numbers(file, *header, precision);
  if (precision == Precision::single_precision) return read_matrix_market<float>(file);
  return read_matrix_market<double>(file);
}

std::variant<AnyMatrix, AnyComplexMatrix> read_real_or_complex(std::string const& path,
                                                               std::optional<Precision> precision,
                                                               bool* is_vector) {
  InputFile file(path);
  auto const header = begin(file, path, {.vectors = is_vector != nullptr, .complex = true});
  if (is_vector) *is_vector = header && header->is_vector;
  bool const single = wanted_precision(header, precision) == Precision::single_precision;
  if (header ? header->parts == 2 : is_complex_matrix_market(file))
    return single ? read_complex<float>(file, header) : read_complex<double>(file, header);
  if (header) return read_numbers(file, *header, precision);
  if (single) return AnyMatrix(read_matrix_market<float>(file));
  return AnyMatrix(read_matrix_market<double>(file));
}

AnyMatrix read_block(std::string const& path, std::optional<Precision> precision,
                     BlockChoice const& block) {
  InputFile file(path);
  auto const header = begin(file, path);
  if (wanted_precision(header, precision) == Precision::single_precision)
    return read_block_as<float>(file, header, block);
  return read_block_as<double>(file, header, block);
}

AnyMatrix read_rows(std::string const& path, std::optional<Precision> precision,
                    RowChoice const& ranges) {
  InputFile file(path);
  auto const header = begin(file, path);
  if (wanted_precision(header, precision) == Precision::single_precision)
    return read_rows_as<float>(file, path, header, ranges);
  return read_rows_as<double>(file, path, header, ranges);
}

void keep(AnyEntries& entries, EntryChoice const& part) {
  std::visit(
      [&](auto& x) {
        auto const [begin, end] = part(x.rows, x.cols, x.by_rows);
        std::int64_t const parts = x.is_complex ? 2 : 1;
        x.values.erase(x.values.begin() + end * parts, x.values.end());
        x.values.erase(x.values.begin(), x.values.begin() + begin * parts);
        x.values.shrink_to_fit();
      },
      entries);
}

AnyEntries read_entries(std::string const& path, std::optional<Precision> precision,
                        EntryChoice const& part) {
  InputFile file(path);
  auto const header = begin(file, path, {.vectors = true, .complex = true});
  if (!header && precision == Precision::single_precision)
    return matrix_market_entries<float>(file, part);
  if (!header) return matrix_market_entries<double>(file, part);
  if (precision_to_use(*header, precision) == Precision::single_precision)
    return npy_entries<float>(file, *header, part);
  return npy_entries<double>(file, *header, part);
}

AnyMatrix read_array(std::string const& path, std::optional<Precision> precision, bool* is_vector) {
  InputFile file(path);
  if (file.peek(npy_magic.size()) != npy_magic) file.fail("is not a NumPy .npy file");
  NpyHeader const header = read_npy_header(file, {.vectors = true});
  if (is_vector) *is_vector = header.is_vector;
  return read_numbers(file, header, precision);
}

HostMatrix<std::int64_t> read_integer_matrix(std::string const& path) {
  InputFile file(path);
  auto const header = begin(file, path);
  return header ? read_npy<std::int64_t>(file, *header) : read_matrix_market<std::int64_t>(file);
}

}  // namespace carroll::tool
