// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "support/random.hpp"

namespace carroll::test {

/// What a tester is to do to results before it looks at them, to see whether it notices.
enum class Fault {
  none,
  bit,     ///< one bit of one number differs from what it is in other passes
  value,   ///< a number is a thousandth too large, always
  swap,    ///< two numbers of one output have changed places, always
  status,  ///< success is told as failure, always
};

/// One round of a hostile tester: draws a problem that nobody chose from `random`, solves it in
/// every way that promises the same, and says what was wrong. All of it follows from the seed and
/// the number of the round, so that each round can be run by itself, with `--seed S --first N
/// --rounds 1`.
class Round {
 public:
  using Complain = std::function<void(std::string const&)>;

  Round(std::uint64_t seed, std::int64_t number, Fault what, Complain complain)
      : random(mixed(seed, static_cast<std::uint64_t>(number))),
        fault(what),
        number_(number),
        complain_(std::move(complain)) {}

  Random random;
  Fault const fault;
  [[nodiscard]] std::int64_t number() const { return number_; }

  /// Told by whoever has put the fault into a result.
  void was_spoiled() { spoiled_ = true; }
  [[nodiscard]] bool spoiled() const { return spoiled_; }

  /// Counts problems (members of batches, frames, pictures) whose results have been checked.
  void checked(std::int64_t members) { members_ += members; }
  [[nodiscard]] std::int64_t members() const { return members_; }

  /// Says what is wrong, in one line that a person can act on: kind, shape, layout, options,
  /// member, measured and allowed. A round may complain several times.
  void wrong(std::string const& what) {
    ++complaints_;
    complain_(what);
  }
  /// The same if `fine` does not hold; returns it.
  bool expect(bool fine, std::string const& what) {
    if (!fine) wrong(what);
    return fine;
  }
  [[nodiscard]] std::int64_t complaints() const { return complaints_; }

 private:
  /// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014), so that neighbouring rounds have nothing in
  /// common.
  static std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0x9e3779b97f4a7c15U + number * 0xd1b54a32d192ed03U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::int64_t number_;
  bool spoiled_ = false;
  Complain complain_;
  std::int64_t members_ = 0;
  std::int64_t complaints_ = 0;
};

/// What an executable of this folder defines: its name, what it does in a line or two for `--help`,
/// and a round. `kind`: what `--kind` said, empty for all of them; see hostile_kinds.
extern std::string_view const hostile_name;
extern std::string_view const hostile_about;
/// Names that `--kind` takes, comma-separated, to look at a part of the tester by itself.
extern std::string_view const hostile_kinds;
void hostile_round(Round& round, std::string_view kind);

}  // namespace carroll::test
