// SPDX-License-Identifier: BSD-3-Clause
#include "kokkos_flags.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "arguments.hpp"

namespace carroll::tool {

namespace {

constexpr std::string_view prefix = "--kokkos-";

enum class Value { none, whole_number, boolean, device_map, text };

struct Flag {
  std::string_view name;
  Value value;
  int least = 0;  // of a whole number
};

constexpr std::array known_flags = {
    Flag{"help", Value::none},
    Flag{"tools-help", Value::none},
    Flag{"num-threads", Value::whole_number, 1},
    Flag{"device-id", Value::whole_number, 0},
    Flag{"map-device-id-by", Value::device_map},
    Flag{"disable-warnings", Value::boolean},
    Flag{"print-configuration", Value::boolean},
    Flag{"tune-internals", Value::boolean},
    Flag{"tools-libs", Value::text},
    Flag{"tools-args", Value::text},
};

/// The sentence about a value that Kokkos would not take; empty when it would.
std::string complaint(Flag const& flag, bool has_value, std::string_view value) {
  auto const is_any_of = [&](auto... words) { return ((value == words) || ...); };
  switch (flag.value) {
    case Value::none: return has_value ? "takes no value" : "";
    case Value::text: return value.empty() ? "needs a value after '='" : "";
    case Value::device_map:
      return is_any_of("random", "mpi_rank") ? "" : "needs '=random' or '=mpi_rank'";
    case Value::boolean:
      return !has_value || is_any_of("true", "false", "yes", "no", "1", "0")
                 ? ""
                 : "needs '=true' or '=false'";
    case Value::whole_number: {
      int number = -1;
      auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      bool const good = error == std::errc{} && end == value.data() + value.size();
      if (good && number >= flag.least) return "";
      return "needs '=N', a whole number of at least " + std::to_string(flag.least);
    }
  }
  return "";
}

void check(std::string_view word) {
  auto const equals = word.find('=');
  bool const has_value = equals != std::string_view::npos;
  std::string_view const name = word.substr(prefix.size(), equals - prefix.size());
  std::string_view const value = has_value ? word.substr(equals + 1) : std::string_view();
  auto const flag = std::ranges::find(known_flags, name, &Flag::name);
  std::string const shown(word.substr(0, equals));
  if (flag == known_flags.end()) {
    throw UsageError(shown + ": Kokkos has no such flag (see carroll --kokkos-help)");
  }
  if (auto const what = complaint(*flag, has_value, value); !what.empty()) {
    throw UsageError(shown + ": " + what);
  }
}

}  // namespace

KokkosFlags take_kokkos_flags(std::vector<std::string>& words) {
  KokkosFlags result;
  auto const last = std::ranges::find(words, "--");  // behind it there are only names of files
  auto const first_other = std::stable_partition(
      words.begin(), last, [](auto const& w) { return w.starts_with(prefix); });
  result.words.assign(words.begin(), first_other);
  words.erase(words.begin(), first_other);
  for (auto const& word : result.words) {
    check(word);
    result.help = result.help || word.ends_with("-help");
  }
  return result;
}

}  // namespace carroll::tool
