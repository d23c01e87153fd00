// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/ratings/table.hpp"
#include "output/files.hpp"
#include "recommend/run.hpp"

namespace carroll::tool {

/// Models in NumPy's .npz: U (users × k), V (items × k), user_bias and item_bias (empty: none),
/// mean (one number), and user_ids and item_ids, the names of rows, as bytes of text, a line each:
///
///   ids = bytes(file["user_ids"]).decode().split("\n")
///
/// Adds the file to `files`, stored without compression.
template <class Real>
void write_model(OutputFiles& files, std::string const& path, HostModel<Real> const& model,
                 Ids const& users, Ids const& items);

/// Reads one. FileError for what is no model, or holds numbers that are not finite.
template <class Real>
[[nodiscard]] HostModel<Real> read_model(std::string const& path, Ids& users, Ids& items);

}  // namespace carroll::tool
