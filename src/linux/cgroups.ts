/**
 * Control groups as both versions have them: one path below the root of every hierarchy that is mounted. A path
 * is relative and without a slash in front: `remedium/ab12/node1/POD/CONTAINER`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type CgroupHierarchies, findHierarchies } from './cgroup-hierarchies.ts'

export interface CgroupUsage {
  /** CPU time since the group was made, in milliseconds. */
  cpuMs: number
  /** Working set in bytes: what is used less the file cache that is not active. */
  memory: number
  /** How often the kernel has killed a process of the group for want of memory. */
  oomKills: number
  /** How many periods the CPU quota has cut short. */
  throttledPeriods: number
}

export interface CpuQuota {
  /** Cores: 0.2 is a fifth of one. Nothing takes the limit away. */
  cores: number | undefined
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The group is gone, or its kernel has no such file.
    return undefined
  }
}

const numberIn = (path: string): number => Number(read(path) ?? 0)

/** The value of `name` in a file of lines `name value`. */
const field = (text: string | undefined, name: string): number => {
  const line = text?.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return line === undefined ? 0 : Number(line.slice(name.length + 1))
}

/** Of version 1, whose groups start without. */
const INHERITED = ['cpuset.cpus', 'cpuset.mems']
const PERIOD_US = 100_000
/** What the kernel gives a group, and every session outside of groups, of itself. */
const USUAL_WEIGHT = { shares: 1024, weight: 100 } as const
const MOST_WEIGHT = 10_000

export const createCgroups = (hierarchies: CgroupHierarchies = findHierarchies()) => {
  const { version, folders } = hierarchies
  const folderOf = (controller: string): string => hierarchies.of(controller)
  const at = (controller: string, path: string, file: string): string =>
    join(folderOf(controller), path, file)

  const childrenOf = (folder: string): string[] => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(folder, name))
    } catch {
      return []
    }
  }

  const pidsBelow = (folder: string): number[] => [
    ...(read(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number),
    ...childrenOf(folder).flatMap(pidsBelow),
  ]

  const pidsOf = (path: string): readonly number[] => [
    ...new Set(folders.flatMap((folder) => pidsBelow(join(folder, path)))),
  ]

  /** From the leaves up. False while a process is still in one of them. */
  const removeFolder = (folder: string): boolean => {
    const cleared = childrenOf(folder).map(removeFolder)
    try {
      rmdirSync(folder)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT'
    }
    return cleared.every(Boolean)
  }

  /** One group, fit for processes and for groups below it. */
  const makeLevel = (parent: string, name: string): string => {
    const folder = join(parent, name)
    if (version === 2) {
      const controllers = (read(join(parent, 'cgroup.controllers')) ?? '').split(/\s+/).filter(Boolean)
      writeFileSync(join(parent, 'cgroup.subtree_control'), controllers.map((each) => `+${each}`).join(' '))
    }
    mkdirSync(folder, { recursive: true })
    // A set of no CPUs takes no process.
    for (const file of INHERITED)
      if (read(join(folder, file))?.trim() === '')
        writeFileSync(join(folder, file), read(join(parent, file)) ?? '')
    return folder
  }

  const oomKillsOf = (path: string): number =>
    field(read(at('memory', path, version === 2 ? 'memory.events' : 'memory.oom_control')), 'oom_kill')

  /** Else a program that forks as fast as it is killed would go on for ever. */
  const forbidForks = (path: string): void => {
    try {
      writeFileSync(at('pids', path, 'pids.max'), '0')
    } catch {
      // The group is gone, or its kernel does not count processes.
    }
  }

  const usageV1 = (path: string): CgroupUsage => {
    const stat = read(at('memory', path, 'memory.stat'))
    return {
      cpuMs: numberIn(at('cpuacct', path, 'cpuacct.usage')) / 1e6,
      memory: Math.max(
        0,
        numberIn(at('memory', path, 'memory.usage_in_bytes')) - field(stat, 'total_inactive_file'),
      ),
      oomKills: oomKillsOf(path),
      throttledPeriods: field(read(at('cpu', path, 'cpu.stat')), 'nr_throttled'),
    }
  }

  const usageV2 = (path: string): CgroupUsage => {
    const cpu = read(at('cpu', path, 'cpu.stat'))
    const stat = read(at('memory', path, 'memory.stat'))
    return {
      cpuMs: field(cpu, 'usage_usec') / 1e3,
      memory: Math.max(0, numberIn(at('memory', path, 'memory.current')) - field(stat, 'inactive_file')),
      oomKills: oomKillsOf(path),
      throttledPeriods: field(cpu, 'nr_throttled'),
    }
  }

  return {
    version,
    /** Whether the group is there, in any hierarchy. */
    exists: (path: string): boolean => folders.some((folder) => existsSync(join(folder, path))),
    /** Names of the groups directly below, over all hierarchies. */
    children: (path: string): readonly string[] => [
      ...new Set(
        folders.flatMap((folder) => childrenOf(join(folder, path)).map((child) => child.split('/').at(-1)!)),
      ),
    ],
    create(path: string): void {
      for (const folder of folders) path.split('/').reduce(makeLevel, folder)
    },
    /** Puts a process into the group, in every hierarchy that has it. An empty path is the root. */
    join(path: string, pid: number): void {
      const homes = folders.filter((folder) => existsSync(join(folder, path)))
      if (homes.length === 0) throw new Error(`there is no control group ${path}`)
      for (const folder of homes) writeFileSync(join(folder, path, 'cgroup.procs'), String(pid))
    },
    /** All processes in the group and below it. */
    pids: pidsOf,
    /** Kills every process in the group and below it, and lets none be forked there any more. */
    kill(path: string): void {
      forbidForks(path)
      for (const pid of pidsOf(path))
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
    },
    /** Removes the group and all below it, in every hierarchy; false while processes are left in it. */
    remove: (path: string): boolean =>
      folders.map((folder) => removeFolder(join(folder, path))).every(Boolean),
    /** `usage().oomKills` alone, for those who ask often. */
    oomKills: oomKillsOf,
    /** Whether the machine can hold a group's swap within bounds. */
    limitsSwap: (): boolean =>
      version === 1
        ? existsSync(at('memory', '', 'memory.memsw.limit_in_bytes'))
        : childrenOf(folderOf('memory')).some((child) => existsSync(join(child, 'memory.swap.max'))),
    /**
     * The bytes of memory that the group may have, by its own limit or that of the one above it; infinite where
     * there is none. Those further up hold many together.
     */
    memoryLimit(path: string): number {
      const file = version === 2 ? 'memory.max' : 'memory.limit_in_bytes'
      const limits = [path, dirname(path)].map((group) => {
        const text = read(at('memory', group, file))?.trim()
        const limit = text === undefined || text === 'max' ? Number.POSITIVE_INFINITY : Number(text)
        // Version 1 has a number for none: all the pages that can be counted.
        return limit > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : limit
      })
      return Math.min(...limits)
    },
    usage: (path: string): CgroupUsage => (version === 2 ? usageV2(path) : usageV1(path)),
    /** On a busy machine the group gets so many times what another group, or a session of the machine, gets. */
    weighCpu(path: string, times: number): void {
      if (version === 2)
        writeFileSync(
          at('cpu', path, 'cpu.weight'),
          String(Math.min(MOST_WEIGHT, Math.round(times * USUAL_WEIGHT.weight))),
        )
      else writeFileSync(at('cpu', path, 'cpu.shares'), String(Math.round(times * USUAL_WEIGHT.shares)))
    },
    /** How much memory, and how many processes, the group and all below it may have together. */
    limitTotals(path: string, { memoryBytes, processes }: { memoryBytes: number; processes: number }): void {
      const file = version === 2 ? 'memory.max' : 'memory.limit_in_bytes'
      writeFileSync(at('memory', path, file), String(Math.floor(memoryBytes)))
      writeFileSync(at('pids', path, 'pids.max'), String(processes))
    },
    /** The limit over the whole group, on top of those of the groups below it. */
    limitCpu(path: string, { cores }: CpuQuota): void {
      const quota = cores === undefined ? undefined : Math.max(1000, Math.round(cores * PERIOD_US))
      if (version === 2) writeFileSync(at('cpu', path, 'cpu.max'), `${quota ?? 'max'} ${PERIOD_US}`)
      else {
        writeFileSync(at('cpu', path, 'cpu.cfs_period_us'), String(PERIOD_US))
        writeFileSync(at('cpu', path, 'cpu.cfs_quota_us'), String(quota ?? -1))
      }
    },
  }
}

export type Cgroups = ReturnType<typeof createCgroups>
