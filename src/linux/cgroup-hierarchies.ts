/** Where the control groups of this machine are mounted, and which version rules the resources. */
import { readFileSync } from 'node:fs'

export interface CgroupHierarchies {
  /** 2 where one hierarchy rules the resources; 1 where each has its own, with or without an empty second. */
  readonly version: 1 | 2
  /** Every mounted hierarchy, the one of version 2 included. */
  readonly folders: readonly string[]
  /** The folder of the hierarchy that has this controller. Throws where no hierarchy has it. */
  of(controller: string): string
}

export const findHierarchies = (mounts = readFileSync('/proc/self/mounts', 'utf8')): CgroupHierarchies => {
  const entries = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .map(([, folder = '', type, options = '']) => ({ folder, type, options: options.split(',') }))
  const unified = entries.find(({ type }) => type === 'cgroup2')
  const separate = entries.filter(({ type }) => type === 'cgroup')
  // Some programs mount a hierarchy of their own beside the one of version 2, to mark packets.
  const version = separate.some(({ options }) => options.includes('memory')) ? 1 : 2
  return {
    version,
    folders: entries.map(({ folder }) => folder),
    of(controller) {
      const home = version === 2 ? unified : separate.find(({ options }) => options.includes(controller))
      if (home === undefined) throw new Error(`this machine has no control groups for ${controller}`)
      return home.folder
    },
  }
}
