// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace carroll::tool {

/// Tells on standard error what the tool is doing and for how long, in one line that is rewritten.
/// Silent during the first second, and always when standard error is not a terminal, or with
/// `shown` false.
class Progress {
 public:
  explicit Progress(bool shown = true);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  /// What is being done from now on, such as "decomposing 4000 x 3000".
  void phase(std::string description);

  /// Erases the line; nothing more appears. To be called before anything else is printed.
  void stop();

 private:
  void run();

  std::chrono::steady_clock::time_point const start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string description_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace carroll::tool
