/** Parses the mounts of a process from `mountinfo`. */
import { readFileSync } from 'node:fs'

export interface MountEntry {
  id: number
  /** The device of the filesystem, such as `8:1`. */
  device: string
  /** The folder of the filesystem that is mounted. */
  root: string
  mountPoint: string
  /** The options of this mount, such as `ro`, `nosuid`, `noatime`. */
  options: readonly string[]
  /** Whether mounts on it propagate to other namespaces. */
  shared: boolean
  type: string
  source: string
}

/** The kernel escapes spaces and other special characters as a backslash and three octal digits. */
const decodeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

const toEntry = (line: string): MountEntry => {
  const fields = line.split(' ')
  const separator = fields.indexOf('-')
  return {
    id: Number(fields[0]),
    device: fields[2]!,
    root: decodeOctal(fields[3]!),
    mountPoint: decodeOctal(fields[4]!),
    options: fields[5]!.split(','),
    shared: fields.slice(6, separator).some((field) => field.startsWith('shared:')),
    type: fields[separator + 1]!,
    source: decodeOctal(fields[separator + 2] ?? ''),
  }
}

/** Reads `/proc/PID/mountinfo`, in mount order. */
export const readMounts = (path: string): MountEntry[] =>
  readFileSync(path, 'utf8').split('\n').filter(Boolean).map(toEntry)

/** Whether `path` is the folder or below it. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)

/** Returns the mount of a path: the one with the deepest mount point, and the last of several on that point. */
export const mountOf = (mounts: readonly MountEntry[], path: string): MountEntry | undefined =>
  mounts
    .filter(({ mountPoint }) => isAtOrBelow(path, mountPoint))
    .reduce<MountEntry | undefined>(
      (best, entry) =>
        best === undefined || entry.mountPoint.length >= best.mountPoint.length ? entry : best,
      undefined,
    )
