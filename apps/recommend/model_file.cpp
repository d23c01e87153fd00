// SPDX-License-Identifier: BSD-3-Clause
#include "recommend/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "files/file_error.hpp"
#include "files/input_file.hpp"
#include "files/limits.hpp"
#include "files/npy/header.hpp"
#include "files/npy/reader.hpp"
#include "files/npy/writer.hpp"
#include "files/zip/reader.hpp"
#include "files/zip/writer.hpp"

namespace carroll::tool {

namespace {

template <class T>
void add_array(ZipWriter& zip, std::string const& name, std::string const& type,
               std::string const& shape, std::span<T const> values) {
  auto const bytes = std::as_bytes(values);
  std::string content = npy_header(type, shape, false);
  content.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  zip.add(name + ".npy", content);
}

std::string vector_shape(std::size_t count) {
  return std::to_string(count) + ",";
}

void add_ids(ZipWriter& zip, std::string const& name, Ids const& ids) {
  std::string text;
  for (auto const& id : ids.names()) text += (text.empty() ? "" : "\n") + id;
  add_array<char>(zip, name, "u1", vector_shape(text.size()), std::span<char const>(text));
}

/// An array of a model, and its shape.
template <class Real>
struct Array {
  std::vector<Real> values;
  std::int64_t rows = 0, cols = 0;
};

template <class Real>
Array<Real> array_of(InputFile const& file, ZipFile const& zip, std::string const& name,
                     bool is_vector) {
  if (!zip.has(name + ".npy")) file.fail("is no model: it has no array " + name);
  std::string const content = zip.read(name + ".npy");
  InputFile part(file.path() + ": " + name, std::vector<char>(content.begin(), content.end()));
  auto const header = read_npy_header(part, {.vectors = true});
  if (header.is_vector != is_vector || header.is_batch)
    part.fail(std::string("is not an array of ") +
              (is_vector ? "one dimension" : "two dimensions"));
  if (header.fortran_order && header.rows > 1 && header.cols > 1)
    part.fail("is in Fortran order, expected rows one after the other");
  Array<Real> array{read_npy_numbers<Real>(part, header), header.rows, header.cols};
  for (Real const value : array.values)
    if (!std::isfinite(static_cast<double>(value))) part.fail("has entries that are not finite");
  return array;
}

Ids ids_of(InputFile const& file, ZipFile const& zip, std::string const& name,
           std::int64_t expected) {
  std::vector<std::string> names;
  auto const bytes = array_of<double>(file, zip, name, true).values;
  std::string text;
  for (double const byte : bytes) text += static_cast<char>(static_cast<int>(byte));
  for (std::size_t begin = 0; begin <= text.size() && expected > 0;) {
    std::size_t const end = std::min(text.find('\n', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (static_cast<std::int64_t>(names.size()) != expected)
    file.fail("has " + std::to_string(names.size()) + " " + name + " for " +
              std::to_string(expected) + " rows");
  Ids ids(std::move(names));
  return ids;
}

}  // namespace

template <class Real>
void write_model(OutputFiles& files, std::string const& path, HostModel<Real> const& model,
                 Ids const& users, Ids const& items) {
  std::string const type = "f" + std::to_string(sizeof(Real));
  ZipWriter zip;
  auto const matrix = [&](std::string const& name, std::vector<Real> const& values,
                          std::int64_t rows) {
    add_array<Real>(zip, name, type, std::to_string(rows) + ", " + std::to_string(model.factors),
                    std::span<Real const>(values));
  };
  auto const vector = [&](std::string const& name, std::vector<Real> const& values) {
    add_array<Real>(zip, name, type, vector_shape(values.size()), std::span<Real const>(values));
  };
  try {
    matrix("U", model.U, model.users);
    matrix("V", model.V, model.items);
    vector("user_bias", model.user_bias);
    vector("item_bias", model.item_bias);
    vector("mean", {model.mean});
    add_ids(zip, "user_ids", users);
    add_ids(zip, "item_ids", items);
  } catch (std::length_error const& error) {
    throw FileError(path, error.what());
  }
  files.write(path, zip.finish(), {});
}

template <class Real>
HostModel<Real> read_model(std::string const& path, Ids& users, Ids& items) {
  InputFile file(path, "a model in a .npz file");
  if (file.peek(zip_magic.size()) != zip_magic) file.fail("is no .npz file");
  ZipFile const zip(file);
  HostModel<Real> model;
  auto U = array_of<Real>(file, zip, "U", false), V = array_of<Real>(file, zip, "V", false);
  model.users = U.rows;
  model.items = V.rows;
  model.factors = U.cols;
  if (V.cols != U.cols)
    file.fail("has U of " + extents_text(U.rows, U.cols) + " and V of " +
              extents_text(V.rows, V.cols) + ", expected one number of columns");
  model.U = std::move(U.values);
  model.V = std::move(V.values);
  auto const bias = [&](std::string const& name, std::int64_t rows) {
    auto values = array_of<Real>(file, zip, name, true).values;
    if (!values.empty() && static_cast<std::int64_t>(values.size()) != rows)
      file.fail("has " + std::to_string(values.size()) + " entries of " + name + ", expected " +
                std::to_string(rows) + " or none");
    return values;
  };
  model.user_bias = bias("user_bias", model.users);
  model.item_bias = bias("item_bias", model.items);
  auto const mean = array_of<Real>(file, zip, "mean", true).values;
  if (mean.size() != 1) file.fail("has " + std::to_string(mean.size()) + " means, expected one");
  model.mean = mean[0];
  users = ids_of(file, zip, "user_ids", model.users);
  items = ids_of(file, zip, "item_ids", model.items);
  return model;
}

#define CARROLL_TOOL_MODEL_FILE(Real)                                                             \
  template void write_model(OutputFiles&, std::string const&, HostModel<Real> const&, Ids const&, \
                            Ids const&);                                                          \
  template HostModel<Real> read_model(std::string const&, Ids&, Ids&)
CARROLL_TOOL_MODEL_FILE(float);
CARROLL_TOOL_MODEL_FILE(double);

}  // namespace carroll::tool
