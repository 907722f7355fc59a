/**
 * Whether a container shows of this machine just what it should, where it should. Somebody in the pod may put a link
 * in the place of a folder between the moment when its path is worked out and that when it is mounted.
 */
import { type MountEntry, mountOf, readMounts } from '../../../linux/index.ts'
import { isSystemPath } from './volume-mounts.ts'

/** A path of this machine that a container may see, with all below it. */
export interface Shown {
  path: string
  readOnly: boolean
}

const mountsOf = (pid: number | 'self'): MountEntry[] => readMounts(`/proc/${pid}/mountinfo`)

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** The device of a path of this machine, and the path as its filesystem sees it. */
const placeOf = (path: string, mounts: readonly MountEntry[]): { device: string; path: string } => {
  const { device, root, mountPoint } = mountOf(mounts, path)!
  const rest = path.slice(mountPoint === '/' ? 0 : mountPoint.length)
  return { device, path: root === '/' ? rest || '/' : root + rest }
}

/** Control groups have the same filesystem for all; a container gets its own part of them from the runtime. */
const ofItsOwn = ({ type, mountPoint }: MountEntry): boolean =>
  (type === 'cgroup' || type === 'cgroup2') && isWithin(mountPoint, '/sys/fs/cgroup')

/** Throws when it sees anything but `shown`, can write what it should only read, or has it in place of its system. */
export const checkBinds = (pid: number, shown: readonly Shown[]): void => {
  const ours = mountsOf('self')
  const devices = new Set(ours.map(({ device }) => device))
  const allowed = shown.map(({ path, readOnly }) => ({ ...placeOf(path, ours), readOnly }))
  for (const mount of mountsOf(pid)) {
    if (!devices.has(mount.device) || ofItsOwn(mount)) continue
    if (isSystemPath(mount.mountPoint))
      throw new Error(`no volume can be mounted at ${mount.mountPoint}, where a link in another one leads`)
    const isAllowed = allowed.some(
      ({ device, path, readOnly }) =>
        device === mount.device && isWithin(mount.root, path) && (mount.options.includes('ro') || !readOnly),
    )
    if (!isAllowed) throw new Error(`the volume at ${mount.mountPoint} leads out of the disk of its node`)
  }
}
