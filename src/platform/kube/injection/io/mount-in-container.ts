/** Mounts FUSE over a folder of a running container, and changes the root of this thread to the folder below it. */
import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { checked, fileCalls, libc, type MountEntry, mountOf, readMounts } from '#machine/linux'
import type { VolumeTask } from './volume-messages.ts'

const CLONE_FS = 0x200
const CLONE_NEWNS = 0x2_0000
const MOUNT_FLAGS: Readonly<Record<string, number>> = {
  ro: 1,
  nosuid: 2,
  nodev: 4,
  noexec: 8,
  noatime: 1 << 10,
  nodiratime: 1 << 11,
  relatime: 1 << 21,
}

export interface ContainerMount {
  /** The descriptor of `/dev/fuse`. */
  fd: number
  /** The resolved path of the folder in the container. */
  mountPoint: string
  mountId: number
}

/** Mounts over the working folder, with the options of the mount below. */
const mountHere = (fd: number, source: string, mounts: readonly MountEntry[]): string => {
  const mountPoint = process.cwd()
  const below = mountOf(mounts, mountPoint)
  if (below?.shared === true)
    throw new Error(`a mount at ${mountPoint} would propagate outside the container`)
  const flags = (below?.options ?? []).reduce((sum, option) => sum | (MOUNT_FLAGS[option] ?? 0), 0)
  const data = `fd=${fd},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions`
  fileCalls.mount(source, '.', 'fuse', flags, data)
  return mountPoint
}

/**
 * Afterwards the root of this thread is the folder, so that no symbolic link of the container leads out of it. The
 * working folder of the thread is `/proc`. Other threads are not affected.
 */
export const mountInContainer = ({ pid, mountNamespace, volumePath, source }: VolumeTask): ContainerMount => {
  const fd = openSync('/dev/fuse', constants.O_RDWR | constants.O_NONBLOCK)
  const procFolder = openSync('/proc', constants.O_RDONLY | constants.O_DIRECTORY)
  const ownNamespace = openSync('/proc/self/ns/mnt', 'r')
  const namespace = openSync(`/proc/${pid}/ns/mnt`, 'r')
  if (readlinkSync(`/proc/self/fd/${namespace}`) !== mountNamespace)
    throw new Error(`process ${pid} of the container has ended`)
  const mounts = readMounts(`/proc/${pid}/mountinfo`)
  checked('unshare', libc.unshare(CLONE_FS))
  checked('setns', libc.setns(namespace, CLONE_NEWNS))
  let mountPoint: string
  let folder: number
  try {
    process.chdir(volumePath)
    folder = openSync('.', constants.O_RDONLY | constants.O_DIRECTORY)
    mountPoint = mountHere(fd, source, mounts)
  } finally {
    // Leaves the namespace, because a process in it would keep the mount alive after the container has ended.
    checked('setns', libc.setns(ownNamespace, CLONE_NEWNS))
  }
  fileCalls.fchdir(folder)
  fileCalls.chroot('.')
  fileCalls.fchdir(procFolder)
  for (const each of [ownNamespace, namespace, folder, procFolder]) closeSync(each)
  const entry = readMounts(`${pid}/mountinfo`).find((mount) => mount.source === source)
  if (entry === undefined) throw new Error(`the mount at ${volumePath} of process ${pid} is gone`)
  return { fd, mountPoint, mountId: entry.id }
}
