/** Which cluster goes first on a busy machine: one whose users are watched, before one that is only made ready. */
import { createCgroups } from '../../linux/index.ts'

/** Of what a cluster at work gets: a machine that has nothing else to do gives all the same. */
const BEHIND = 1 / 16

/** While `work` lasts the cluster with this control group lets the others of the machine go first. */
export const givingWay = async <Result>(cgroup: string, work: () => Promise<Result>): Promise<Result> => {
  const cgroups = createCgroups()
  cgroups.weighCpu(cgroup, BEHIND)
  try {
    return await work()
  } finally {
    // A cluster that was broken off may have lost its group already.
    if (cgroups.exists(cgroup)) cgroups.weighCpu(cgroup, 1)
  }
}
