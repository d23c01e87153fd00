// SPDX-License-Identifier: BSD-3-Clause
// To be loaded before the other libraries of a rank (LD_PRELOAD) that is to run out of memory:
// operator new fails once, at the CARROLL_FAULT_ALLOCATION-th allocation, from 0 on, of at least
// CARROLL_FAULT_BYTES bytes since main has begun: what libraries do before, as they are loaded,
// nobody can mend. MPI's own memory, malloc's, is left alone.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

using Main = int(int, char**, char**);
std::atomic<bool> has_begun = false;
Main* tools_main = nullptr;

int begin(int argc, char** argv, char** environment) {
  has_begun = true;
  return tools_main(argc, argv, environment);
}

long number_in(char const* name, long otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

bool fails(std::size_t bytes) {
  static long const least = number_in("CARROLL_FAULT_BYTES", 1);
  static long const victim = number_in("CARROLL_FAULT_ALLOCATION", -1);
  static std::atomic<long> count = 0;
  return has_begun && victim >= 0 && static_cast<long>(bytes) >= least && count++ == victim;
}

void* allocate(std::size_t bytes) {
  return fails(bytes) ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
void* allocate(std::size_t bytes, std::align_val_t alignment) {
  auto const unit = static_cast<std::size_t>(alignment);
  return fails(bytes) ? nullptr : std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}
void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// What the system's start of a program calls, with main among its arguments.
extern "C" int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*end)(),
                                 void (*loader_end)(), void* stack) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  tools_main = main;
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(begin, argc, argv, init, end, loader_end, stack);
}

void* operator new(std::size_t bytes) {
  return or_throw(allocate(bytes));
}
void* operator new(std::size_t bytes, std::nothrow_t const& /*tag*/) noexcept {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(allocate(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   std::nothrow_t const& /*tag*/) noexcept {
  return allocate(bytes, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
