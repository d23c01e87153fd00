// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy/header.hpp"

#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>

#include "files/limits.hpp"
#include "files/npy/python_literal.hpp"

namespace carroll::tool {

namespace {

/// Longer headers than this describe structured types with thousands of fields, never a matrix.
constexpr std::int64_t longest_header = 1 << 20;

std::string supported_types(bool complex) {
  return complex ? "expected f2, f4, f8, c8, c16, an integer type or bool"
                 : "expected f2, f4, f8, an integer type or bool";
}

std::string read_header_text(InputFile& file) {
  std::array<unsigned char, 12> bytes{};
  if (file.read(bytes.data(), 8) < 8) file.fail("is truncated inside its header");
  int const major = bytes[6];
  int const minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0) {
    file.fail("has .npy format version " + std::to_string(major) + "." + std::to_string(minor) +
              ", expected 1.0, 2.0 or 3.0");
  }
  // Version 1 stores the length of the header in two bytes, later ones in four; little-endian.
  std::size_t const length_bytes = major == 1 ? 2 : 4;
  if (file.read(bytes.data() + 8, length_bytes) < length_bytes) {
    file.fail("is truncated inside its header");
  }
  std::int64_t length = 0;
  for (std::size_t b = length_bytes; b-- > 0;) length = length * 256 + bytes[8 + b];
  if (auto const left = file.remaining(); left && length > *left) {
    file.fail("is truncated: its header should have " + std::to_string(length) + " bytes, " +
              std::to_string(*left) + " are there");
  }
  if (length > longest_header) {
    file.fail("has a header of " + std::to_string(length) + " bytes, too long for a matrix");
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  if (file.read(text.data(), text.size()) < text.size()) {
    file.fail("is truncated inside its header");
  }
  return text;
}

void interpret_type(InputFile const& file, std::string const& descr, bool complex,
                    NpyHeader& header) {
  std::string_view type = descr;
  char order = '=';
  if (!type.empty() && std::string_view("<>|=").find(type[0]) != std::string_view::npos) {
    order = type[0];
    type.remove_prefix(1);
  }
  char const kind = type.empty() ? '\0' : type[0];
  std::string const supported = supported_types(complex);
  if (kind == 'O') file.fail("holds Python objects ('" + descr + "'), " + supported);
  if (kind == 'c' && !complex) file.fail("holds complex numbers ('" + descr + "'), " + supported);
  static constexpr std::array<std::string_view, 12> known = {"f2", "f4", "f8", "i1", "i2", "i4",
                                                             "i8", "u1", "u2", "u4", "u8", "b1"};
  bool found = false;
  for (auto const name : known) found = found || name == type;
  bool const complex_found = type == "c8" || type == "c16";
  if (!found && !complex_found) {
    file.fail("has elements of type '" + descr + "', " + supported);
  }

  // A complex number is two real ones.
  header.parts = complex_found ? 2 : 1;
  header.kind = complex_found ? 'f' : kind;
  header.item_size = type == "c16" ? 8 : type == "c8" ? 4 : type[1] - '0';
  char const native = std::endian::native == std::endian::little ? '<' : '>';
  bool const foreign = (order == '<' || order == '>') && order != native;
  header.swap_bytes = foreign && header.item_size > 1;
}

std::string shape_text(std::vector<std::int64_t> const& shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == 8) return text + "...)";
    text += (d > 0 ? ", " : "") + std::to_string(shape[d]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

Precision precision_to_use(NpyHeader const& header, std::optional<Precision> precision) {
  bool const stored_single = header.kind == 'f' && header.item_size <= 4;
  return precision.value_or(stored_single ? Precision::single_precision
                                          : Precision::double_precision);
}

NpyHeader read_npy_header(InputFile& file, NpyAllowed const& allowed) {
  if (file.peek(npy_magic.size()) != npy_magic) {
    file.fail("is not a NumPy .npy file: it does not begin with \\x93NUMPY");
  }
  std::string const text = read_header_text(file);
  NpyDictionary dictionary;
  try {
    dictionary = parse_npy_dictionary(text);
  } catch (std::runtime_error const& error) {
    file.fail(error.what());
  }
  if (!dictionary.descr) {
    file.fail("holds records (a structured type), " + supported_types(allowed.complex));
  }
  NpyHeader header;
  interpret_type(file, *dictionary.descr, allowed.complex, header);
  header.fortran_order = dictionary.fortran_order;
  auto const& shape = dictionary.shape;
  if (allowed.vectors && shape.size() == 1) {
    header.rows = shape[0];
    header.cols = 1;
    header.is_vector = true;
    return header;
  }
  if (allowed.batches && shape.size() == 3) {
    check_extents(file, shape[1], shape[2], 1);
    header.is_batch = true;
    header.rows = shape[0];
    header.member_rows = shape[1];
    header.member_cols = shape[2];
    header.cols = header.member_rows * header.member_cols;
    return header;
  }
  if (shape.size() != 2) {
    file.fail("has " + count_text(std::ssize(shape), "dimension") + ", shape " + shape_text(shape) +
              (allowed.vectors ? ", expected a vector with 1 or a matrix with 2"
                               : ", expected a matrix with 2"));
  }
  header.rows = shape[0];
  header.cols = shape[1];
  return header;
}

}  // namespace carroll::tool
