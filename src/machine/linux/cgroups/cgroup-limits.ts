/** Reads and sets the resource limits of control groups. */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { childFolders, readGroupFile } from './cgroup-files.ts'
import type { CgroupHierarchies } from './cgroup-hierarchies.ts'

export interface CpuQuota {
  /** The number of cores, such as 0.2. Undefined removes the limit. */
  cores: number | undefined
}

const PERIOD_US = 100_000
/** The kernel's default for a group and for processes outside groups. */
const DEFAULT_WEIGHT = { shares: 1024, weight: 100 } as const
const MAX_WEIGHT = 10_000

export const createCgroupLimits = (hierarchies: CgroupHierarchies) => {
  const { version } = hierarchies
  const filePath = (controller: string, path: string, file: string): string =>
    join(hierarchies.folderOf(controller), path, file)
  const memoryFile = version === 2 ? 'memory.max' : 'memory.limit_in_bytes'

  return {
    /** Whether the kernel can limit the swap of a group. */
    limitsSwap: (): boolean =>
      version === 1
        ? existsSync(filePath('memory', '', 'memory.memsw.limit_in_bytes'))
        : childFolders(hierarchies.folderOf('memory')).some((child) =>
            existsSync(join(child, 'memory.swap.max')),
          ),

    /** The memory limit of the group or of its parent, in bytes; infinite if there is none. Ignores higher groups. */
    memoryLimit(path: string): number {
      const limits = [path, dirname(path)].map((group) => {
        const text = readGroupFile(filePath('memory', group, memoryFile))?.trim()
        const limit = text === undefined || text === 'max' ? Number.POSITIVE_INFINITY : Number(text)
        // Version 1 represents "unlimited" by the highest countable number of pages.
        return limit > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : limit
      })
      return Math.min(...limits)
    },

    /** Sets how much CPU the group gets on a busy machine, as a multiple of the default weight. */
    setCpuWeight(path: string, factor: number): void {
      if (version === 2)
        writeFileSync(
          filePath('cpu', path, 'cpu.weight'),
          String(Math.min(MAX_WEIGHT, Math.round(factor * DEFAULT_WEIGHT.weight))),
        )
      else
        writeFileSync(filePath('cpu', path, 'cpu.shares'), String(Math.round(factor * DEFAULT_WEIGHT.shares)))
    },

    /** Limits the memory and the number of processes of the group and all groups below it. */
    limitTotals(path: string, { memoryBytes, processes }: { memoryBytes: number; processes: number }): void {
      writeFileSync(filePath('memory', path, memoryFile), String(Math.floor(memoryBytes)))
      writeFileSync(filePath('pids', path, 'pids.max'), String(processes))
    },

    /** Limits the CPU of the whole group, in addition to the limits of the groups below it. */
    limitCpu(path: string, { cores }: CpuQuota): void {
      const quota = cores === undefined ? undefined : Math.max(1000, Math.round(cores * PERIOD_US))
      if (version === 2) writeFileSync(filePath('cpu', path, 'cpu.max'), `${quota ?? 'max'} ${PERIOD_US}`)
      else {
        writeFileSync(filePath('cpu', path, 'cpu.cfs_period_us'), String(PERIOD_US))
        writeFileSync(filePath('cpu', path, 'cpu.cfs_quota_us'), String(quota ?? -1))
      }
    },
  }
}
