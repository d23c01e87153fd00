// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "files/limits.hpp"
#include "files/matrix_market/lines.hpp"
#include "files/npy/header.hpp"
#include "files/npy/reader.hpp"
#include "files/ratings/formats.hpp"
#include "files/zip/reader.hpp"

namespace carroll::tool {

namespace {

constexpr std::int64_t most_ids = std::numeric_limits<std::int32_t>::max();

void check_ids(InputFile const& file, std::int64_t rows, std::int64_t cols) {
  if (rows < 0 || cols < 0 || rows > most_ids || cols > most_ids)
    file.fail("is " + extents_text(rows, cols) + ", expected at most " + std::to_string(most_ids) +
              " rows and columns");
}

template <class Number>
std::vector<Number> numbers_of(InputFile const& file, ZipFile const& zip, std::string const& name) {
  std::string const content = zip.read(name + ".npy");
  InputFile part(file.path() + ": " + name, std::vector<char>(content.begin(), content.end()));
  auto const header = read_npy_header(part, {.vectors = true});
  return read_npy_numbers<Number>(part, header);
}

/// A rating of a sparse matrix, checked.
class TakeEntry {
 public:
  TakeEntry(InputFile const& file, std::int64_t rows, std::int64_t cols, TakeRating const& take)
      : file_(file), rows_(rows), cols_(cols), take_(take) {}

  void operator()(std::int64_t e, std::int64_t row, std::int64_t col, double value) const {
    std::string const place = "entry " + std::to_string(e) + ": ";
    if (row < 0 || row >= rows_ || col < 0 || col >= cols_)
      file_.fail(place + "(" + std::to_string(row) + ", " + std::to_string(col) +
                 ") is outside of " + extents_text(rows_, cols_));
    if (!std::isfinite(value)) file_.fail(place + "the rating is not finite");
    take_(std::to_string(row), std::to_string(col), value, 0);
  }

 private:
  InputFile const& file_;
  std::int64_t rows_, cols_;
  TakeRating const& take_;
};

}  // namespace

void read_matrix_market_ratings(InputFile& file, TakeExtents const& extents,
                                TakeRating const& take) {
  MatrixMarketLines lines(file);
  auto const banner = lines.banner();
  bool const right = banner.size() == 5 && banner[1] == "matrix" && banner[2] == "coordinate" &&
                     (banner[3] == "real" || banner[3] == "integer" || banner[3] == "pattern") &&
                     banner[4] == "general";
  if (!right)
    lines.fail("expected a matrix, coordinate, of real, integer or pattern, general, for ratings");
  bool const pattern = banner[3] == "pattern";
  if (!lines.next() || lines.words().size() != 3)
    lines.fail("expected numbers of rows, columns and entries");
  auto const whole = [&](std::size_t word, char const* what) {
    return lines.whole_number(lines.words()[word], what);
  };
  std::int64_t const rows = whole(0, "the number of rows");
  std::int64_t const cols = whole(1, "the number of columns");
  std::int64_t const count = whole(2, "the number of entries");
  check_ids(file, rows, cols);
  extents(rows, cols, 1);
  for (std::int64_t e = 0; e < count; ++e) {
    if (!lines.next())
      file.fail("is truncated: has " + std::to_string(e) + " of " + std::to_string(count) +
                " entries");
    if (lines.words().size() != (pattern ? 2U : 3U))
      lines.fail("there are " +
                 count_text(static_cast<std::int64_t>(lines.words().size()), "word"));
    std::int64_t const row = whole(0, "row"), col = whole(1, "column");
    if (row < 1 || row > rows || col < 1 || col > cols)
      lines.fail("(" + std::to_string(row) + ", " + std::to_string(col) + ") is outside of " +
                 extents_text(rows, cols));
    double const value = pattern ? 1 : lines.value(lines.words()[2], banner[3] == "integer");
    if (!std::isfinite(value)) lines.fail("the rating is not finite");
    take(std::to_string(row), std::to_string(col), value, lines.number());
  }
  if (lines.next()) lines.fail("is one more entry than " + std::to_string(count));
}

void read_npz_ratings(InputFile& file, TakeExtents const& extents, TakeRating const& take) {
  ZipFile const zip(file);
  if (!zip.has("shape.npy") || !zip.has("data.npy") || !zip.has("format.npy"))
    file.fail("is no sparse matrix of scipy: it has no shape, data or format");
  auto const shape = numbers_of<std::int64_t>(file, zip, "shape");
  if (shape.size() != 2) file.fail("is no sparse matrix of two dimensions");
  std::int64_t const rows = shape[0], cols = shape[1];
  check_ids(file, rows, cols);
  extents(rows, cols, 0);
  auto const data = numbers_of<double>(file, zip, "data");
  TakeEntry const entry(file, rows, cols, take);
  auto const count = static_cast<std::int64_t>(data.size());
  auto const same = [&](std::vector<std::int64_t> const& indices, char const* name) {
    if (indices.size() != data.size())
      file.fail("has " + std::to_string(indices.size()) + " " + name + " and " +
                std::to_string(count) + " data");
  };
  // An array without dimensions, "csr" of bytes or, in older files, of characters of 4 bytes.
  std::string format;
  for (char const c : zip.read("format.npy"))
    if (c >= 'a' && c <= 'z') format += c;
  if (format.ends_with("coo")) {
    auto const row = numbers_of<std::int64_t>(file, zip, "row");
    auto const col = numbers_of<std::int64_t>(file, zip, "col");
    same(row, "rows");
    same(col, "columns");
    for (std::int64_t e = 0; e < count; ++e) {
      auto const k = static_cast<std::size_t>(e);
      entry(e, row[k], col[k], data[k]);
    }
    return;
  }
  bool const by_row = format.ends_with("csr");
  if (!by_row && !format.ends_with("csc"))
    file.fail("is a sparse matrix of another format than csr, csc and coo");
  auto const indices = numbers_of<std::int64_t>(file, zip, "indices");
  auto const starts = numbers_of<std::int64_t>(file, zip, "indptr");
  same(indices, "indices");
  std::int64_t const lists = by_row ? rows : cols;
  bool right = static_cast<std::int64_t>(starts.size()) == lists + 1 && starts.front() == 0 &&
               starts.back() == count;
  for (std::size_t l = 0; right && l + 1 < starts.size(); ++l) right = starts[l] <= starts[l + 1];
  if (!right) file.fail("has an indptr that does not belong to its shape and data");
  for (std::int64_t l = 0; l < lists; ++l)
    for (std::int64_t e = starts[static_cast<std::size_t>(l)];
         e < starts[static_cast<std::size_t>(l) + 1]; ++e) {
      auto const k = static_cast<std::size_t>(e);
      entry(e, by_row ? l : indices[k], by_row ? indices[k] : l, data[k]);
    }
}

}  // namespace carroll::tool
