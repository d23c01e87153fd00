// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>

namespace carroll {

/// Memory could not be had. Says how many bytes were needed, for what, and what Kokkos said.
class AllocationError : public std::bad_alloc {
 public:
  AllocationError(std::string const& purpose, std::size_t bytes, std::string const& cause)
      : bytes_(bytes),
        message_(purpose + ": cannot allocate " + std::to_string(bytes) + " bytes: " + cause) {}
  [[nodiscard]] char const* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
  std::string message_;
};

namespace detail {

/// "3×4×5", the way extents are written in messages.
inline std::string extents_text(std::initializer_list<long long> extents) {
  std::string text;
  for (long long extent : extents) text += (text.empty() ? "" : "×") + std::to_string(extent);
  return text;
}

/// Throws std::invalid_argument("<function>: <problem>") unless `holds`. The message is built only
/// when it is needed, hence the callable.
template <class Message>
void require(bool holds, char const* function, Message const& problem) {
  if (!holds) throw std::invalid_argument(std::string(function) + ": " + problem());
}

/// Throws std::invalid_argument unless `actual` equals `required`, naming both.
inline void require_extents(char const* function, char const* argument,
                            std::initializer_list<long long> actual,
                            std::initializer_list<long long> required) {
  bool const same = std::equal(actual.begin(), actual.end(), required.begin(), required.end());
  require(same, function, [&] {
    return std::string(argument) + " is " + extents_text(actual) + ", must be " +
           extents_text(required);
  });
}

}  // namespace detail
}  // namespace carroll
