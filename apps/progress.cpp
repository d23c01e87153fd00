// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "files/file_error.hpp"

namespace carroll::tool {

namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

/// A terminal that does not take the text is no reason to end the work.
void write_to_terminal(std::string_view text) {
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(bool shown) {
  if (shown && ::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  stop();
}

void Progress::phase(std::string description) {
  std::lock_guard const lock(mutex_);
  description_ = one_line(description);
}

void Progress::stop() {
  {
    std::lock_guard const lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::run() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (auto pause = 1000ms; !changed_.wait_for(lock, pause, [this] { return stopped_; });
       pause = 500ms) {
    auto const elapsed = std::chrono::steady_clock::now() - start_;
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
    write_to_terminal(std::string(erase_line) + "carroll: " + description_ + ", " +
                      std::to_string(seconds) + " s");
    shown = true;
  }
  if (shown) write_to_terminal(erase_line);
}

}  // namespace carroll::tool
