/** Reads the resource usage of control groups. */
import { join } from 'node:path'
import { readField, readGroupFile } from './cgroup-files.ts'
import type { CgroupHierarchies } from './cgroup-hierarchies.ts'

export interface CgroupUsage {
  /** CPU time since the group was created, in milliseconds. */
  cpuMs: number
  /** The working set in bytes: the usage without the inactive file cache. */
  memory: number
  /** The number of processes that the kernel has killed for lack of memory. */
  oomKills: number
  /** The number of periods throttled by the CPU quota. */
  throttledPeriods: number
}

export const createCgroupUsage = (hierarchies: CgroupHierarchies) => {
  const { version } = hierarchies
  const read = (controller: string, path: string, file: string): string | undefined =>
    readGroupFile(join(hierarchies.folderOf(controller), path, file))

  const oomKills = (path: string): number =>
    readField(read('memory', path, version === 2 ? 'memory.events' : 'memory.oom_control'), 'oom_kill')

  const usageV1 = (path: string): CgroupUsage => {
    const used = Number(read('memory', path, 'memory.usage_in_bytes') ?? 0)
    const cache = readField(read('memory', path, 'memory.stat'), 'total_inactive_file')
    return {
      cpuMs: Number(read('cpuacct', path, 'cpuacct.usage') ?? 0) / 1e6,
      memory: Math.max(0, used - cache),
      oomKills: oomKills(path),
      throttledPeriods: readField(read('cpu', path, 'cpu.stat'), 'nr_throttled'),
    }
  }

  const usageV2 = (path: string): CgroupUsage => {
    const cpu = read('cpu', path, 'cpu.stat')
    const used = Number(read('memory', path, 'memory.current') ?? 0)
    const cache = readField(read('memory', path, 'memory.stat'), 'inactive_file')
    return {
      cpuMs: readField(cpu, 'usage_usec') / 1e3,
      memory: Math.max(0, used - cache),
      oomKills: oomKills(path),
      throttledPeriods: readField(cpu, 'nr_throttled'),
    }
  }

  return {
    usage: (path: string): CgroupUsage => (version === 2 ? usageV2(path) : usageV1(path)),
    /** Only `usage().oomKills`, for frequent polling. */
    oomKills,
  }
}
