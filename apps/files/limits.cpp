// SPDX-License-Identifier: BSD-3-Clause
#include "files/limits.hpp"

#include <unistd.h>

#include <limits>

namespace carroll::tool {

namespace {

/// Bytes of main memory; the largest integer when the system does not tell.
std::int64_t physical_memory() {
  auto const pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
  auto const page_size = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  bool const known = pages > 0 && page_size > 0;
  return known ? pages * page_size : std::numeric_limits<std::int64_t>::max();
}

std::string gibibytes(double bytes) {
  return std::to_string(static_cast<std::int64_t>(bytes / (1024.0 * 1024.0 * 1024.0) + 0.5)) +
         " GiB";
}

}  // namespace

std::string extents_text(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

std::string count_text(std::int64_t count, std::string const& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void check_extents(InputFile const& file, std::int64_t rows, std::int64_t cols,
                   std::int64_t item_size) {
  constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max();
  if (rows > largest_extent || cols > largest_extent) {
    file.fail("is " + extents_text(rows, cols) + ", more than " + std::to_string(largest_extent) +
              " rows or columns");
  }
  // Below 2^31 each, so that neither product can overflow in double; exactness does not matter.
  double const bytes =
      static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(item_size);
  if (bytes > static_cast<double>(physical_memory())) {
    file.fail("is " + extents_text(rows, cols) + ": as a dense matrix it takes " +
              gibibytes(bytes) + ", this machine has " +
              gibibytes(static_cast<double>(physical_memory())));
  }
}

}  // namespace carroll::tool
