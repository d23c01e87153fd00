// The main function of tests over ranks: GoogleTest on each of them, of which the first tells of
// all, and the others of what fails.
#include <gtest/gtest.h>

#include <carroll/distributed/environment.hpp>
#include <cstdio>

#include "keep_sources.hpp"

namespace {

/// Says which rank's failure it is.
class OnlyFailures : public ::testing::EmptyTestEventListener {
 public:
  explicit OnlyFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(::testing::TestPartResult const& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name(), result.line_number(),
                   result.summary());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  carroll::test::keep_sources(argc, argv);
  return carroll::distributed::run(argc, argv, "test", [] {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
      delete listeners.Release(listeners.default_result_printer());
      listeners.Append(new OnlyFailures(rank));
    }
    int const mine = RUN_ALL_TESTS();
    int any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
  });
}
