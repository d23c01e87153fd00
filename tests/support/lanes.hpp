// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace carroll::test {

/// The lanes of a warp on one thread of the host: a lane runs until it waits for the others, then
/// it is the turn of the next. Turns are in ascending and in descending order alternately, so that
/// a lane that does not wait where it has to meets what others have not written yet, or what they
/// have already written over. Threads and barriers do the same in a hundred times the time.
class Lanes {
 public:
  static constexpr int count = 32;

  /// Calls `lane(0)` to `lane(31)`, and returns when all have. All have to wait equally often.
  void run(std::function<void(int)> lane) {
    body_ = std::move(lane);
    for (auto& fiber : fibers_) {
      if (!fiber.stack) fiber.stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
      fiber.ended = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = stack_bytes;
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, &Lanes::begin, 0);
    }
    std::ptrdiff_t ended = 0;
    for (bool ascending = true; ended == 0; ascending = !ascending) {
      for (int turn = 0; turn < count; ++turn) resume(ascending ? turn : count - 1 - turn);
      ended = std::count_if(fibers_.begin(), fibers_.end(), [](Fiber const& f) { return f.ended; });
    }
    if (ended != count) throw std::logic_error("a lane waits for lanes that have ended");
  }

  /// For the lane whose turn it is.
  void wait() { leave(false); }

 private:
  // Enough for code that is not optimised, with what sanitizers put between variables. At each turn
  // AddressSanitizer clears what it knows of a stack, all of it.
  static constexpr std::size_t stack_bytes = 64 * 1024;

  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<std::byte[]> stack;
    void* shadow = nullptr;
    bool ended = false;
  };

  static void begin() {
    Lanes& lanes = *running_;
    lanes.entered(nullptr);
    lanes.body_(lanes.current_);
    lanes.leave(true);
  }

  void resume(int lane) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(lane)];
    running_ = this;
    current_ = lane;
    void* shadow = nullptr;
    entering(&shadow, fiber.stack.get(), stack_bytes);
    swapcontext(&scheduler_, &fiber.context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(shadow, nullptr, nullptr);
#endif
  }

  void leave(bool ends) {
    Fiber& fiber = fibers_[static_cast<std::size_t>(current_)];
    fiber.ended = ends;
    entering(ends ? nullptr : &fiber.shadow, scheduler_stack_, scheduler_stack_bytes_);
    swapcontext(&fiber.context, &scheduler_);
    entered(fiber.shadow);
  }

  // What AddressSanitizer wants to know of a change of stacks.
  void entering([[maybe_unused]] void** shadow, [[maybe_unused]] void const* stack,
                [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(shadow, stack, bytes);
#endif
  }
  void entered([[maybe_unused]] void* shadow) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(shadow, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
  }

  static inline Lanes* running_ = nullptr;
  std::array<Fiber, count> fibers_;
  std::function<void(int)> body_;
  ucontext_t scheduler_{};
  void const* scheduler_stack_ = nullptr;
  std::size_t scheduler_stack_bytes_ = 0;
  int current_ = 0;
};

}  // namespace carroll::test
