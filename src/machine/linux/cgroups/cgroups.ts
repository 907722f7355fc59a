/**
 * Control groups of both versions. A group has the same path in every mounted hierarchy, relative and without a leading
 * slash: `remedium/ab12/node1/POD/CONTAINER`.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childFolders, listPids, readGroupFile, removeGroup } from './cgroup-files.ts'
import { type CgroupHierarchies, findHierarchies } from './cgroup-hierarchies.ts'
import { createCgroupLimits } from './cgroup-limits.ts'
import { createCgroupMemory } from './cgroup-memory.ts'
import { createCgroupUsage } from './cgroup-usage.ts'

/** Files of version 1 that are empty in new groups, and are copied from the parent. */
const INHERITED = ['cpuset.cpus', 'cpuset.mems']

/** Creates one level of a path, usable for processes and for groups below it. */
const createLevel = (version: 1 | 2, parent: string, name: string): string => {
  const folder = join(parent, name)
  if (version === 2) {
    const controllers = (readGroupFile(join(parent, 'cgroup.controllers')) ?? '').split(/\s+/).filter(Boolean)
    writeFileSync(
      join(parent, 'cgroup.subtree_control'),
      controllers.map((controller) => `+${controller}`).join(' '),
    )
  }
  mkdirSync(folder, { recursive: true })
  // A group with an empty cpuset accepts no process.
  for (const file of INHERITED)
    if (readGroupFile(join(folder, file))?.trim() === '')
      writeFileSync(join(folder, file), readGroupFile(join(parent, file)) ?? '')
  return folder
}

export const createCgroups = (hierarchies: CgroupHierarchies = findHierarchies()) => {
  const { version, folders } = hierarchies

  const pids = (path: string): readonly number[] => [
    ...new Set(folders.flatMap((folder) => listPids(join(folder, path)))),
  ]

  /** Without this, a program that forks as fast as it is killed would never end. */
  const forbidForks = (path: string): void => {
    try {
      writeFileSync(join(hierarchies.folderOf('pids'), path, 'pids.max'), '0')
    } catch {
      // The group does not exist, or the kernel does not limit processes.
    }
  }

  return {
    version,
    ...createCgroupUsage(hierarchies),
    ...createCgroupLimits(hierarchies),
    ...createCgroupMemory(hierarchies),

    /** Whether the group exists in any hierarchy. */
    exists: (path: string): boolean => folders.some((folder) => existsSync(join(folder, path))),

    /** The names of the groups directly below it, in all hierarchies. */
    children: (path: string): readonly string[] => [
      ...new Set(
        folders.flatMap((folder) =>
          childFolders(join(folder, path)).map((child) => child.split('/').at(-1)!),
        ),
      ),
    ],

    create(path: string): void {
      for (const folder of folders)
        path.split('/').reduce((parent, name) => createLevel(version, parent, name), folder)
    },

    /** Moves a process to the group in every hierarchy that has it. An empty path is the root. */
    join(path: string, pid: number): void {
      const existing = folders.filter((folder) => existsSync(join(folder, path)))
      if (existing.length === 0) throw new Error(`the control group ${path} does not exist`)
      for (const folder of existing) writeFileSync(join(folder, path, 'cgroup.procs'), String(pid))
    },

    /** All processes in the group and below it. */
    pids,

    /** Kills all processes in the group and below it, and forbids further forks. */
    kill(path: string): void {
      forbidForks(path)
      for (const pid of pids(path))
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // The process has ended.
        }
    },

    /** Removes the group and all below it in every hierarchy; returns false while processes are left in it. */
    remove: (path: string): boolean =>
      folders.map((folder) => removeGroup(join(folder, path))).every(Boolean),
  }
}

export type Cgroups = ReturnType<typeof createCgroups>
