/** Finds the mounted control group hierarchies, and the version that controls resources. */
import { readFileSync } from 'node:fs'
import { RemediumError } from '#spec'

export interface CgroupHierarchies {
  /** 2 if the unified hierarchy controls resources; 1 if each controller has a hierarchy. */
  readonly version: 1 | 2
  /** All mounted hierarchies, including that of version 2. */
  readonly folders: readonly string[]
  /** The folder of the hierarchy with this controller. Throws if there is none. */
  folderOf(controller: string): string
}

export const findHierarchies = (mounts = readFileSync('/proc/self/mounts', 'utf8')): CgroupHierarchies => {
  const entries = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .map(([, folder = '', type, options = '']) => ({ folder, type, options: options.split(',') }))
  const unified = entries.find(({ type }) => type === 'cgroup2')
  const separate = entries.filter(({ type }) => type === 'cgroup')
  // Some programs mount a hierarchy of version 1 in addition to version 2, to mark packets.
  const version = separate.some(({ options }) => options.includes('memory')) ? 1 : 2
  return {
    version,
    folders: entries.map(({ folder }) => folder),
    folderOf(controller) {
      const hierarchy = version === 2 ? unified : separate.find(({ options }) => options.includes(controller))
      if (hierarchy === undefined)
        throw new RemediumError('not-permitted', `This machine has no cgroup controller ${controller}.`)
      return hierarchy.folder
    },
  }
}
