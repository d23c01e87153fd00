// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/batch/determine.hpp"

#include <carroll/determinant.hpp>

#include "determinant/methods.hpp"
#include "determinant/timed.hpp"
#include "device/batch.hpp"
#include "output/members.hpp"

namespace carroll::tool {

template <class Real>
BatchDeterminants determine(HostBatch<Real> const& batch, std::string const& method,
                            std::string const& path, Progress& progress) {
  ExecSpace const exec;
  BatchDeterminants found;
  found.backend = ExecSpace::name();
  auto const A = to_device(exec, "carroll::tool::A", batch);
  exec.fence("carroll::tool: start of the clock");
  progress.phase("condensing " + std::to_string(batch.members) + " of " +
                 extents_text(batch.rows, batch.cols));
  Kokkos::Timer const timer;
  auto const infos = determinant(exec, A, determinant_options(method, path));
  found.seconds = timer.seconds();
  for (auto const& info : infos) {
    found.members.push_back({static_cast<int>(info.status),
                             static_cast<double>(info.value.mantissa()), info.value.exponent(),
                             static_cast<double>(info.growth)});
  }
  return found;
}

template BatchDeterminants determine(HostBatch<float> const&, std::string const&,
                                     std::string const&, Progress&);
template BatchDeterminants determine(HostBatch<double> const&, std::string const&,
                                     std::string const&, Progress&);

Determination told(MemberDeterminant const& member, Precision precision) {
  Determination found;
  found.status = status_of(member);
  found.growth = member.growth;
  if (precision == Precision::single_precision)
    set_value(ScaledNumber<float>(static_cast<float>(member.mantissa), member.exponent), found);
  else
    set_value(ScaledNumber<double>(member.mantissa, member.exponent), found);
  return found;
}

}  // namespace carroll::tool
