// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "files/batch_file.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// What several ranks do with the work of a command. A command with more ways has a function that
/// chooses, such as gemv's, and a line here.
enum class Engine {
  one_rank,  ///< the first does it alone
  entries,   ///< each has entries of a vector
  rows,      ///< each has rows of a matrix
  columns,   ///< each has columns of a matrix
  members,   ///< each has members of a batch
};

[[nodiscard]] constexpr char const* to_string(Engine engine) {
  switch (engine) {
    case Engine::one_rank: return "one_rank";
    case Engine::entries: return "entries";
    case Engine::rows: return "rows";
    case Engine::columns: return "columns";
    case Engine::members: return "members";
  }
  return "unknown";
}

/// How the ranks have shared a command's work, as its report tells it: nothing of one rank.
struct Sharing {
  int ranks = 1;
  Engine engine = Engine::one_rank;
};

/// Can every rank read its part of these files? Not of a pipe, nor of what the first rank does not
/// find: it reads, or complains, alone then. The same on all ranks.
[[nodiscard]] bool can_share(Ranks const& ranks, std::vector<std::string> const& files);

/// What this rank has of so many problems.
[[nodiscard]] EntryRange members_of(Ranks const& ranks, std::int64_t count);

/// Throws on all ranks where these numbers, of a file that they all have read, are not the same on
/// them.
void require_alike(Ranks const& ranks, std::string const& file,
                   std::vector<std::int64_t> const& numbers);
/// The same of the shape of what was read in either precision.
template <class... Types>
void require_alike(Ranks const& ranks, std::string const& file, std::variant<Types...> const& any) {
  auto numbers = std::visit([](auto const& read) { return read.shape(); }, any);
  numbers.push_back(static_cast<std::int64_t>(any.index()));
  require_alike(ranks, file, numbers);
}

/// The exit status of `work(ranks, sharing)` by all of them, if each can read its part of the
/// files, else by the first alone.
template <class Work>
int share(Ranks const& ranks, std::vector<std::string> const& files, Engine engine,
          Work const& work) {
  if (can_share(ranks, files)) return work(ranks, Sharing{ranks.size(), engine});
  return ranks.first_alone([&] { return work(Ranks(), Sharing{ranks.size(), Engine::one_rank}); });
}

/// The exit status of `work(ranks, sharing, is_batch)`: by all of them, each with its members,
/// where the first of `files` holds a batch, else by the first alone.
template <class Work>
int share_members(Ranks const& ranks, std::vector<std::string> const& files, Work const& work) {
  if (ranks.first_alone([&] { return int{is_batch(files.front())}; }) == 1) {
    return share(ranks, files, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) { return work(by, sharing, true); });
  }
  return ranks.first_alone([&] {
    return work(Ranks(), Sharing{ranks.size(), Engine::one_rank}, false);
  });
}
template <class Work>
int share_members(Ranks const& ranks, std::string const& file, Work const& work) {
  return share_members(ranks, std::vector<std::string>{file}, work);
}

}  // namespace carroll::tool
