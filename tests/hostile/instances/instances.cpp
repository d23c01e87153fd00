// SPDX-License-Identifier: BSD-3-Clause
// Solvers on two and four instances at once, and beside a kernel that holds half of the device:
// every result has the bits that it has when nothing else runs, and all of them come to an end.
// Kernels whose teams wait for one another are the reason (detail/device/signals.hpp).
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "contract/new_instance.hpp"
#include "hostile/instances/jobs.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_instances";
std::string_view const hostile_about =
    "Random determinants, SVDs, eigenproblems, QR factorisations, steps and inverses on two and "
    "four "
    "instances at once, some beside a kernel that holds half of the device: the bits of each are "
    "those of it "
    "alone.";
std::string_view const hostile_kinds = "determinants,svds,steps,inverse,qrs,eighs";

namespace {

/// Jobs of one instance, in the order in which they are enqueued there.
struct Lane {
  Exec exec;
  std::vector<std::unique_ptr<Job>> jobs;
  std::vector<std::uint64_t> alone;
};

std::unique_ptr<Job> random_job(Random& random, std::string_view kind, Exec const& exec) {
  int const drawn = random.index(7);
  if (kind == "determinants" || (kind.empty() && drawn <= 1))
    return random_determinants(random, exec);
  if (kind == "svds" || (kind.empty() && drawn == 2)) return random_svds(random, exec);
  if (kind == "steps" || (kind.empty() && drawn == 3)) return random_steps(random, exec);
  if (kind == "eighs" || (kind.empty() && drawn == 5)) return random_eighs(random, exec);
  if (kind == "qrs" || (kind.empty() && drawn == 4)) return random_qrs(random, exec);
  return random_inverse(random, exec);
}

/// A kernel that holds a share of the device.
struct Hog {
  Exec exec;
  double share, seconds;
};

/// All of a round, enqueued in turn by one thread or by a thread for each instance, and awaited.
void run_together(std::vector<Lane>& lanes, Hog const* hog, bool by_threads) {
  if (hog) enqueue_hog(hog->exec, hog->share, hog->seconds);
  if (by_threads) {
    std::vector<std::thread> threads;
    for (Lane& lane : lanes)
      threads.emplace_back([&lane] {
        for (auto const& job : lane.jobs) job->enqueue(lane.exec);
      });
    for (std::thread& thread : threads) thread.join();
  } else {
    bool more = true;
    for (std::size_t place = 0; more; ++place) {
      more = false;
      for (Lane& lane : lanes)
        if (place < lane.jobs.size()) {
          lane.jobs[place]->enqueue(lane.exec);
          more = true;
        }
    }
  }
  for (Lane const& lane : lanes) lane.exec.fence("carroll_test::instances");
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  Random& random = round.random;
  std::vector<Lane> lanes;
  std::string all;
  for (int i = random.chance(0.5) ? 2 : 4; i > 0; --i) {
    Lane lane{new_instance_of<Exec>(), {}, {}};
    for (int jobs = 1 + random.index(4); jobs > 0; --jobs) {
      lane.jobs.push_back(random_job(random, kind, lane.exec));
      all += (all.empty() ? "" : "; ") + lane.jobs.back()->name();
    }
    lanes.push_back(std::move(lane));
  }
  Kokkos::fence("carroll_test::instances");
  for (Lane& lane : lanes)
    for (auto const& job : lane.jobs) {
      job->forget(lane.exec);
      job->enqueue(lane.exec);
      lane.exec.fence("carroll_test::alone");
      lane.alone.push_back(job->bits());
    }

  std::optional<Hog> hog;
  if (random.chance(0.4))
    // Mostly for as long as a job takes, so that there are many rounds.
    hog = {new_instance_of<Exec>(), random.chance(0.7) ? 0.5 : 0.9, random.chance(0.2) ? 1 : 0.02};
  // Instances of a host are not for several threads.
  bool const by_threads = on_device && random.chance(0.5);
  for (int turn = 0; turn < 3; ++turn) {
    for (Lane& lane : lanes)
      for (auto const& job : lane.jobs) job->forget(lane.exec);
    Kokkos::fence("carroll_test::instances");
    auto done = std::async(std::launch::async,
                           [&] { run_together(lanes, hog ? &*hog : nullptr, by_threads); });
    constexpr std::chrono::seconds most{120};
    if (done.wait_for(most) != std::future_status::ready) {
      round.wrong("no end after " + std::to_string(most.count()) + " s: " + all);
      std::_Exit(1);  // nobody can take back what a device does not end
    }
    done.get();
    Kokkos::fence("carroll_test::instances");
    for (Lane const& lane : lanes)
      for (std::size_t j = 0; j < lane.jobs.size(); ++j) {
        round.expect(lane.jobs[j]->bits() == lane.alone[j],
                     lane.jobs[j]->name() + " has other bits on one of " +
                         std::to_string(lanes.size()) + " instances than alone" +
                         (hog ? ", beside a hog" : "") + "; all: " + all);
        round.checked(1);
      }
  }
}

}  // namespace carroll::test
