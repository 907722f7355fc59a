/**
 * Whether a container shows of this machine just what it should, where it should. Somebody in the pod may put a link
 * in the place of a folder between the moment when its path is worked out and that when it is mounted.
 */
import { readFileSync } from 'node:fs'
import { isSystemPath } from './volume-mounts.ts'

interface Mount {
  device: string
  /** The folder of the filesystem that is shown. */
  root: string
  point: string
  type: string
  readOnly: boolean
}

/** A path of this machine that a container may see, with all below it. */
export interface Shown {
  path: string
  readOnly: boolean
}

/** Blanks and the like are written in octal. */
const plain = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

const mountsOf = (pid: number | 'self'): Mount[] =>
  readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const [, , device = '', root = '', point = '', options = ''] = before.split(' ')
      const readOnly = options.split(',').includes('ro')
      return { device, root: plain(root), point: plain(point), type: after.split(' ')[0]!, readOnly }
    })

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** The device of a path of this machine, and the path as its filesystem sees it. */
const placeOf = (path: string, mounts: readonly Mount[]): { device: string; path: string } => {
  const holders = mounts.filter(({ point }) => isWithin(path, point))
  const { device, root, point } = holders.reduce((best, one) =>
    one.point.length >= best.point.length ? one : best,
  )
  const rest = path.slice(point === '/' ? 0 : point.length)
  return { device, path: root === '/' ? rest || '/' : root + rest }
}

/** Control groups have the same filesystem for all; a container gets its own part of them from the runtime. */
const ofItsOwn = ({ type, point }: Mount): boolean =>
  (type === 'cgroup' || type === 'cgroup2') && isWithin(point, '/sys/fs/cgroup')

/** Throws when it sees anything but `shown`, can write what it should only read, or has it in place of its system. */
export const checkBinds = (pid: number, shown: readonly Shown[]): void => {
  const ours = mountsOf('self')
  const devices = new Set(ours.map(({ device }) => device))
  const allowed = shown.map(({ path, readOnly }) => ({ ...placeOf(path, ours), readOnly }))
  for (const mount of mountsOf(pid)) {
    if (!devices.has(mount.device) || ofItsOwn(mount)) continue
    if (isSystemPath(mount.point))
      throw new Error(`no volume can be mounted at ${mount.point}, where a link in another one leads`)
    const isAllowed = allowed.some(
      ({ device, path, readOnly }) =>
        device === mount.device && isWithin(mount.root, path) && (mount.readOnly || !readOnly),
    )
    if (!isAllowed) throw new Error(`the volume at ${mount.point} leads out of the disk of its node`)
  }
}
