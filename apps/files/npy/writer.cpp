// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy/writer.hpp"

#include <bit>
#include <complex>
#include <iterator>
#include <span>
#include <type_traits>

#include "files/npy/header.hpp"

namespace carroll::tool {

std::string npy_header(std::string const& type, std::string const& shape, bool fortran_order) {
  constexpr char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string dictionary = std::string("{'descr': '") + order + type +
                           "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                           ", 'shape': (" + shape + "), }";
  // Magic, version and length take 10 bytes; blanks and a newline let the data begin at a multiple
  // of 64, so that they can be mapped into memory.
  constexpr std::size_t alignment = 64;
  std::size_t const used = 10 + dictionary.size() + 1;
  dictionary.append((alignment - used % alignment) % alignment, ' ');
  dictionary += '\n';
  std::string header(npy_magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() % 256);
  header += static_cast<char>(dictionary.size() / 256);
  return header + dictionary;
}

namespace {

template <class Number>
std::string header_of(std::string const& shape, bool fortran_order) {
  bool const is_real = std::is_floating_point_v<Number>;
  char const* const kind = std::is_integral_v<Number> ? "i" : is_real ? "f" : "c";
  return npy_header(kind + std::to_string(sizeof(Number)), shape, fortran_order);
}

}  // namespace

template <class Real>
void write_npy(OutputFiles& files, std::string const& path, HostMatrix<Real> const& A) {
  std::string const shape = std::to_string(A.rows) + ", " + std::to_string(A.cols);
  files.write(path, header_of<Real>(shape, true), std::as_bytes(std::span(A.values)));
}

template <class Real>
void write_npy(OutputFiles& files, std::string const& path, std::vector<Real> const& values) {
  write_npy(files, path, {std::ssize(values)}, values);
}

template <class Number>
void write_npy(OutputFiles& files, std::string const& path,
               std::vector<std::int64_t> const& extents, std::vector<Number> const& values) {
  std::string shape;
  for (auto const extent : extents) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (extents.size() == 1) shape += ",";
  files.write(path, header_of<Number>(shape, false), std::as_bytes(std::span(values)));
}

#define CARROLL_TOOL_WRITE_NPY(Real)                                                          \
  template void write_npy(OutputFiles&, std::string const&, HostMatrix<Real> const&);         \
  template void write_npy(OutputFiles&, std::string const&, std::vector<Real> const&);        \
  template void write_npy(OutputFiles&, std::string const&, std::vector<std::int64_t> const&, \
                          std::vector<Real> const&)
CARROLL_TOOL_WRITE_NPY(float);
CARROLL_TOOL_WRITE_NPY(double);
template void write_npy(OutputFiles&, std::string const&, std::vector<std::int64_t> const&,
                        std::vector<int> const&);
#define CARROLL_TOOL_WRITE_COMPLEX_NPY(Real)                                                  \
  template void write_npy(OutputFiles&, std::string const&,                                   \
                          HostMatrix<std::complex<Real>> const&);                             \
  template void write_npy(OutputFiles&, std::string const&, std::vector<std::int64_t> const&, \
                          std::vector<std::complex<Real>> const&)
CARROLL_TOOL_WRITE_COMPLEX_NPY(float);
CARROLL_TOOL_WRITE_COMPLEX_NPY(double);

}  // namespace carroll::tool
