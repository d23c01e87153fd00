// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy/writer.hpp"

#include <bit>
#include <span>

#include "files/npy/header.hpp"

namespace carroll::tool {

namespace {

template <class Real>
std::string npy_header(std::string const& shape, bool fortran_order) {
  constexpr char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string dictionary = std::string("{'descr': '") + order + "f" + std::to_string(sizeof(Real)) +
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

}  // namespace

template <class Real>
void write_npy(OutputFiles& files, std::string const& path, HostMatrix<Real> const& A) {
  std::string const shape = std::to_string(A.rows) + ", " + std::to_string(A.cols);
  files.write(path, npy_header<Real>(shape, true), std::as_bytes(std::span(A.values)));
}

template <class Real>
void write_npy(OutputFiles& files, std::string const& path, std::vector<Real> const& values) {
  std::string const shape = std::to_string(values.size()) + ",";
  files.write(path, npy_header<Real>(shape, false), std::as_bytes(std::span(values)));
}

void write_npy_rows(OutputFiles& files, std::string const& path, std::int64_t height,
                    std::int64_t width, std::vector<float> const& values) {
  std::string const shape = std::to_string(height) + ", " + std::to_string(width);
  files.write(path, npy_header<float>(shape, false), std::as_bytes(std::span(values)));
}

template void write_npy(OutputFiles&, std::string const&, HostMatrix<float> const&);
template void write_npy(OutputFiles&, std::string const&, HostMatrix<double> const&);
template void write_npy(OutputFiles&, std::string const&, std::vector<float> const&);
template void write_npy(OutputFiles&, std::string const&, std::vector<double> const&);

}  // namespace carroll::tool
