// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace carroll::tool {

void let_waiting_threads_sleep([[maybe_unused]] char** argv) {
#ifdef CARROLL_TOOL_OPENMP
  for (char const* const name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return;
  char const* const threads = std::getenv("OMP_NUM_THREADS");
  if (threads != nullptr && std::string_view(threads) == "1") return;
  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || self.filename() != "carroll") return;  // the loader, by which it was started
  if (::setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  ::execv(self.c_str(), argv);
#endif
}

}  // namespace carroll::tool
