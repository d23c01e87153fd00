// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/hash.hpp"

/// A digest of the bits that the solvers compute: a line for each case, its name and the hash of
/// all its outputs. Two builds that write the same lines compute the same bits.
namespace carroll::test {

/// Where the cases of a solver leave their hashes.
class Digest {
 public:
  explicit Digest(std::string solver) : solver_(std::move(solver)) {}

  /// `words` name the case: text and numbers. Its outputs are what was added to `hash`.
  template <class... Words>
  void add(Hash const& hash, Words const&... words) {
    std::string name = solver_;
    ((name += ' ' + text(words)), ...);
    take(name, hash);
  }

  /// Name of a case to the hash of its outputs.
  [[nodiscard]] std::map<std::string, std::uint64_t> const& cases() const { return cases_; }

 private:
  static std::string text(std::string const& word) { return word; }
  static std::string text(char const* word) { return word; }
  template <class T>
  requires std::is_arithmetic_v<T>
  static std::string text(T number) { return std::to_string(number); }

  /// Throws std::logic_error for a name that was there before.
  void take(std::string const& name, Hash const& hash);

  std::string solver_;
  std::map<std::string, std::uint64_t> cases_;
};

/// What runs the cases of a solver, by its name. A file adds its own with a DigestOf at its end.
[[nodiscard]] std::map<std::string, std::function<void(Digest&)>>& digests();

struct DigestOf {
  DigestOf(char const* solver, std::function<void(Digest&)> run) {
    digests().emplace(solver, std::move(run));
  }
};

template <class Real>
inline constexpr char const* type_name = sizeof(Real) == 4 ? "float" : "double";

}  // namespace carroll::test
