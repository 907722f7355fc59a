/** Claims the folder of a local cluster, together with its control group. */
import { availableParallelism, totalmem } from 'node:os'
import { createCgroups } from '#machine/linux'
import { type ClaimRequest, type ClusterFolder, claimClusterFolder } from '#platform/engines/folders'
import { RemediumError } from '#spec'

/** The control group of all clusters of this machine. */
export const TOP_GROUP = 'remedium'
/**
 * With the default weight, all pods together would get only as much CPU as one other session on a busy
 * machine, and their probes would time out. The kubelet also gives pods a weight in proportion to the cores.
 */
const CPU_WEIGHT_PER_CORE = 2
/** The memory limit of all pods of a cluster together, as a share of the machine's memory. */
const MEMORY_SHARE = 0.6
/** The maximum number of processes in all pods of a cluster together. */
const MAX_PROCESSES = 16_384

/** Returns the smaller of the machine's memory and the memory limit of this process, in bytes. */
const usableMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem())

export const cgroupOf = (id: string): string => `${TOP_GROUP}/${id}`

/** Environment variable of helper programs, by which they are found after their engine has ended. */
export const markerOf = (folder: string): Readonly<Record<string, string>> => ({ REMEDIUM_CLUSTER: folder })

/** Created with the claim, so that no other process removes the parent group. */
const createCgroup = (id: string): void => {
  try {
    const cgroups = createCgroups()
    cgroups.create(cgroupOf(id))
    // Protects other processes of the machine.
    cgroups.limitTotals(cgroupOf(id), {
      memoryBytes: MEMORY_SHARE * usableMemory(),
      processes: MAX_PROCESSES,
    })
    cgroups.setCpuWeight(TOP_GROUP, CPU_WEIGHT_PER_CORE * availableParallelism())
  } catch (cause) {
    throw new RemediumError(
      'not-permitted',
      `Control groups cannot be created on this machine (${(cause as Error).message}).`,
      {
        hint: 'In a container, mount control groups for writing, and keep the root group free of processes.',
        cause,
      },
    )
  }
}

/** Creates the control group with the folder. */
export const claimLocalCluster = (state: string, request: Omit<ClaimRequest, 'engine'>): ClusterFolder =>
  claimClusterFolder(
    state,
    { engine: 'local', ...request },
    { claim: createCgroup, undo: (id) => void createCgroups().remove(cgroupOf(id)) },
  )
