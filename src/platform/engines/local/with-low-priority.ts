/** Lowers the CPU priority of a cluster while it is prepared, in favour of clusters that run an episode. */
import { createCgroups } from '#machine/linux'

/** Relative to a normal cluster. It has no effect on an idle machine. */
const LOW_CPU_WEIGHT = 1 / 16

/** Runs `task` with a low CPU weight for the control group of a cluster. */
export const withLowPriority = async <Result>(
  cgroup: string,
  task: () => Promise<Result>,
): Promise<Result> => {
  const cgroups = createCgroups()
  cgroups.setCpuWeight(cgroup, LOW_CPU_WEIGHT)
  try {
    return await task()
  } finally {
    // The control group may have been removed with an aborted cluster.
    if (cgroups.exists(cgroup)) cgroups.setCpuWeight(cgroup, 1)
  }
}
