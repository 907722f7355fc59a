/**
 * Verifies the mounts of a started container. A process in the pod can replace a folder with a link after its path
 * is resolved and before it is mounted.
 */
import { type MountEntry, mountOf, readMounts } from '#machine/linux'
import { isSystemPath } from '#platform/kube/containers'

/** A path of this machine that a container may see, with everything below it. */
export interface AllowedBind {
  path: string
  readOnly: boolean
}

const mountsOf = (pid: number | 'self'): MountEntry[] => readMounts(`/proc/${pid}/mountinfo`)

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** The device of a path of this machine, and the path relative to the filesystem's root. */
const locate = (path: string, mounts: readonly MountEntry[]): { device: string; path: string } => {
  const { device, root, mountPoint } = mountOf(mounts, path)!
  const rest = path.slice(mountPoint === '/' ? 0 : mountPoint.length)
  return { device, path: root === '/' ? rest || '/' : root + rest }
}

/** All mounts of cgroupfs share one device; the runtime mounts only the container's own part. */
const isOwnCgroup = ({ type, mountPoint }: MountEntry): boolean =>
  (type === 'cgroup' || type === 'cgroup2') && isWithin(mountPoint, '/sys/fs/cgroup')

/** Throws if a mount is not in `allowed`, is writable where `allowed` is read-only, or covers a system path. */
export const checkBinds = (pid: number, allowed: readonly AllowedBind[]): void => {
  const hostMounts = mountsOf('self')
  const devices = new Set(hostMounts.map(({ device }) => device))
  const sources = allowed.map(({ path, readOnly }) => ({ ...locate(path, hostMounts), readOnly }))
  for (const mount of mountsOf(pid)) {
    if (!devices.has(mount.device) || isOwnCgroup(mount)) continue
    if (isSystemPath(mount.mountPoint))
      throw new Error(
        `a volume cannot be mounted at ${mount.mountPoint}, the target of a link in another volume`,
      )
    const isAllowed = sources.some(
      ({ device, path, readOnly }) =>
        device === mount.device && isWithin(mount.root, path) && (mount.options.includes('ro') || !readOnly),
    )
    if (!isAllowed) throw new Error(`the volume at ${mount.mountPoint} is outside the disk of its node`)
  }
}
