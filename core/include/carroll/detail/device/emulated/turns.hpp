// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucontext.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__GNUC__) || defined(__clang__) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)
#define CARROLL_STACKS_BY_SWAPCONTEXT
#endif

#include <algorithm>
#include <carroll/detail/device/emulated/threads.hpp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace carroll::detail {

/// What runs on a stack of its own, while others do on theirs.
///
/// swapcontext has the kernel swap masks of signals at each change, which takes longer than all
/// else that threads do here. g++'s own jumps leave masks alone, and are a few instructions, where
/// those of libc look for what is to be cleaned up; but AddressSanitizer takes a jump to another
/// stack for an error.
class EmulatedStack {
 public:
  /// Ready to call f() on this memory when it is first changed to. f never returns.
  void prepare(std::byte* memory, std::size_t bytes, void (*f)()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = memory;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link = nullptr;
    makecontext(&context_, f, 0);
    has_run_ = false;
  }

#if defined(CARROLL_STACKS_BY_SWAPCONTEXT)
  static void change(EmulatedStack& from, EmulatedStack& to) {
    swapcontext(&from.context_, &to.context_);
  }
#else
  [[gnu::noinline]] static void change(EmulatedStack& from, EmulatedStack& to) {
    if (__builtin_setjmp(from.place_) != 0) return;
    from.has_run_ = true;
    to.go_on();
  }
#endif

 private:
#if !defined(CARROLL_STACKS_BY_SWAPCONTEXT)
  /// g++ wants no jump to a place from the function that set it.
  [[noreturn, gnu::noinline]] void go_on() {
    if (has_run_) __builtin_longjmp(place_, 1);
    setcontext(&context_);
    std::abort();
  }
#endif

  ucontext_t context_{};
  void* place_[5] = {};
  bool has_run_ = false;
};

/// The threads of some teams on one thread of the host: each runs until it waits for others, then
/// it is the turn of the next. Turns are in ascending and in descending order alternately, so that
/// a thread that does not wait where it has to meets what others have not written yet, or what they
/// have already written over. Threads and barriers do the same in a hundred times the time.
class EmulatedTurns : public EmulatedThreads {
 public:
  /// `team_size`: threads of a team, a multiple of 32; `resident`: teams that run side by side.
  explicit EmulatedTurns(int team_size = 32, int resident = 1)
      : team_size_(static_cast<std::size_t>(team_size)),
        fibers_(team_size_ * static_cast<std::size_t>(resident)),
        of_warps_(fibers_.size() / 32),
        of_teams_(static_cast<std::size_t>(resident)),
        named_(16 * of_teams_.size()),
        teams_(of_teams_.size()) {
    make_slots(fibers_.size());
  }

  /// Calls `body(k)` for all threads k of one team, and returns when all have returned. Those of a
  /// warp, or the team, have to wait for one another equally often.
  void run(std::function<void(int)> const& body) {
    run(1, [&](int, int thread, int) { body(thread); });
  }
  /// Calls `body(team, thread, place)` for all threads of `teams` teams. A team begins when another
  /// one has left its place, the last team first: devices promise no order.
  void run(int teams, std::function<void(int, int, int)> body) {
    body_ = std::move(body);
    waiting_ = teams;
    EmulatedThreads* const outer = std::exchange(running(), this);
    for (std::size_t place = 0; place < teams_.size(); ++place) begin_team(place);
    turn_ = 0;
    idle_ = 0;
    ascending_ = only_looked_ = true;
    has_resumed_ = false;
    if (next()) {
      entering(nullptr, &fibers_[current_]);
      EmulatedStack::change(scheduler_, fibers_[current_].stack);
      entered(nullptr);
    }
    running() = outer;
    if (idle_ == patience) throw std::logic_error("a thread waits for what nobody writes");
    for (auto const& fiber : fibers_)
      if (fiber.state != State::ended)
        throw std::logic_error("a lane waits for lanes that have ended");
  }

  void wait_for_warp() override { wait(of_warps_[current_ / 32], 32); }
  void wait_for_team() override { wait(of_teams_[place()], team_size_); }
  void named_barrier(int number, int threads, bool arrive) override {
    Barrier& barrier = named_[16 * place() + static_cast<std::size_t>(number)];
    if (arrive)
      barrier.arrive(static_cast<std::size_t>(threads));
    else
      wait(barrier, static_cast<std::size_t>(threads));
  }
  void pass() override { leave(State::looking); }

 protected:
  [[nodiscard]] std::size_t current() const override { return current_; }
  [[nodiscard]] std::size_t team_size() const override { return team_size_; }

 private:
  // Enough for code that is not optimised, with what sanitizers put between variables. At each turn
  // AddressSanitizer clears what it knows of a stack, all of it.
  static constexpr std::size_t stack_bytes = 64 * 1024;

  static constexpr int patience = 100'000;  // rounds in which nothing but looking happened

  enum class State { ready, looking, waiting, ended };

  struct Barrier {
    std::size_t arrived = 0, phase = 0;

    void arrive(std::size_t expected) {
      if (++arrived < expected) return;
      arrived = 0;
      ++phase;
    }
  };
  struct Fiber {
    EmulatedStack stack;
    std::unique_ptr<std::byte[]> memory;
    void* shadow = nullptr;
    State state = State::ended;
    Barrier const* barrier = nullptr;  ///< for whose next phase it waits
    std::size_t phase = 0;
  };

  static bool is_ready(Fiber const& fiber) {
    return fiber.state == State::ready || fiber.state == State::looking ||
           (fiber.state == State::waiting && fiber.barrier->phase != fiber.phase);
  }
  void wait(Barrier& barrier, std::size_t expected) {
    Fiber& fiber = fibers_[current_];
    fiber.barrier = &barrier;
    fiber.phase = barrier.phase;
    barrier.arrive(expected);
    leave(State::waiting);
  }

  /// The team that has a place, and its threads that have not ended.
  struct Team {
    int number = 0;
    std::size_t left = 1;
  };

  void begin_team(std::size_t place) {
    if (waiting_ == 0) {
      teams_[place].left = 1;  // no team comes
      return;
    }
    teams_[place] = {--waiting_, team_size_};
    for (std::size_t t = 0; t < team_size_; ++t) {
      Fiber& fiber = fibers_[place * team_size_ + t];
      fiber.state = State::ready;
      if (fiber.memory) continue;
      fiber.memory = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
      fiber.stack.prepare(fiber.memory.get(), stack_bytes, &EmulatedTurns::begin);
    }
  }
  [[nodiscard]] std::size_t place() const { return current_ / team_size_; }

  static void begin() {
    auto& turns = static_cast<EmulatedTurns&>(*running());
    turns.entered(&turns.fibers_[turns.current_]);
    for (;;) {  // a team after the other
      std::size_t const place = turns.place();
      turns.body_(turns.teams_[place].number, static_cast<int>(turns.current_ % turns.team_size_),
                  static_cast<int>(place));
      turns.fibers_[turns.current_].state = State::ended;
      turns.only_looked_ = false;
      if (--turns.teams_[place].left == 0) turns.begin_team(place);
      turns.change();
    }
  }

  /// Makes the thread whose turn it is the current one; false if none can go on.
  bool next() {
    for (;;) {
      while (turn_ < fibers_.size()) {
        std::size_t const turn = turn_++;
        current_ = ascending_ ? turn : fibers_.size() - 1 - turn;
        if (!is_ready(fibers_[current_])) continue;
        has_resumed_ = true;
        return true;
      }
      idle_ = only_looked_ ? idle_ + 1 : 0;
      if (!has_resumed_ || idle_ == patience) return false;
      turn_ = 0;
      ascending_ = !ascending_;
      only_looked_ = true;
      has_resumed_ = false;
    }
  }

  void leave(State state) {
    fibers_[current_].state = state;
    only_looked_ = only_looked_ && state == State::looking;
    change();
  }
  /// From the current thread to the one whose turn it is, or back to run.
  void change() {
    Fiber& own = fibers_[current_];
    Fiber* const other = next() ? &fibers_[current_] : nullptr;
    if (other == &own) return;
    entering(&own, other);
    EmulatedStack::change(own.stack, other == nullptr ? scheduler_ : other->stack);
    entered(&own);
  }

  // What AddressSanitizer wants to know of a change of stacks, from one thread, or from run, to
  // another.
  void entering([[maybe_unused]] Fiber* from, [[maybe_unused]] Fiber const* to) {
#if defined(__SANITIZE_ADDRESS__)
    from_run_ = from == nullptr;
    __sanitizer_start_switch_fiber(from_run_ ? &shadow_ : &from->shadow,
                                   to == nullptr ? run_stack_ : to->memory.get(),
                                   to == nullptr ? run_stack_bytes_ : stack_bytes);
#endif
  }
  void entered([[maybe_unused]] Fiber* now) {
#if defined(__SANITIZE_ADDRESS__)
    void const* stack = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(now == nullptr ? shadow_ : now->shadow, &stack, &bytes);
    if (std::exchange(from_run_, false)) {
      run_stack_ = stack;
      run_stack_bytes_ = bytes;
    }
#endif
  }

  std::size_t team_size_;
  std::vector<Fiber> fibers_;
  std::vector<Barrier> of_warps_, of_teams_, named_;
  std::vector<Team> teams_;
  int waiting_ = 0;       ///< teams that have not begun
  std::size_t turn_ = 0;  ///< of the round
  bool ascending_ = true, only_looked_ = true, has_resumed_ = false;
  int idle_ = 0;
  std::function<void(int, int, int)> body_;
  EmulatedStack scheduler_;
#if defined(__SANITIZE_ADDRESS__)
  void* shadow_ = nullptr;
  void const* run_stack_ = nullptr;
  std::size_t run_stack_bytes_ = 0;
  bool from_run_ = false;
#endif
  std::size_t current_ = 0;
};

}  // namespace carroll::detail
