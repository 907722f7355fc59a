/** The volumes of a pod as folders and files of this machine. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { HostPathVolumeSource, Pod, Volume } from 'kubernetes-types/core/v1.d.ts'
import { type Stored, unitValue } from '../../meta/index.ts'
import { type FileVolume, type PodVolumes, VolumeSetupError } from '../../ports/index.ts'
import { claimFolder, claimsFolder, nodeDisk, podFolder, podMemoryFolder } from './cluster-folders.ts'
import { writeFileVolume } from './file-volume.ts'
import { makeFolderInside, openEntry, openFolderInside, pathInside, pathOfDescriptor } from './path-inside.ts'

/** A volume that containers can mount. */
export interface ReadyVolume {
  /** On this machine. */
  readonly path: string
  readonly readOnly: boolean
  /** Others than this pod write around it, and may put a link in its place. */
  readonly exposed?: boolean
  /** A file system of its own in memory of so many bytes, made for the one container that mounts it. */
  readonly memoryBytes?: number
}

export interface VolumeSetting {
  /** The folder of the cluster. */
  folder: string
  nodeName: string
  pod: Stored<Pod>
  volumes: PodVolumes
  now: number
}

const fsGroupOf = (pod: Stored<Pod>): number | undefined => pod.spec.securityContext?.fsGroup

/** Gives what is behind a descriptor to the group, and closes it. By descriptors, because pods may change names. */
const giveAll = (fd: number, group: number): void => {
  try {
    const found = fstatSync(fd)
    const path = pathOfDescriptor(fd)
    chownSync(path, found.uid, group)
    if (found.isSymbolicLink()) return
    chmodSync(path, found.mode | (found.isDirectory() ? 0o2770 : 0o660))
    if (!found.isDirectory()) return
    for (const name of readdirSync(path)) {
      const entry = openIfThere(fd, name)
      if (entry !== undefined) giveAll(entry, group)
    }
  } finally {
    closeSync(fd)
  }
}

const openIfThere = (folder: number, name: string): number | undefined => {
  try {
    return openEntry(folder, name)
  } catch {
    // Another pod has removed it meanwhile.
    return undefined
  }
}

/** Gives a folder that pods keep to the group, and what is in it where it was another's. */
const giveToGroup = (fd: number, group: number): void => {
  if (fstatSync(fd).gid === group) closeSync(fd)
  else giveAll(fd, group)
}

/**
 * The kernel holds a volume in memory to its size where a single container mounts it; what several share is a folder,
 * and the kubelet looks after its size.
 */
const memoryBytes = ({ spec }: Stored<Pod>, { name, emptyDir: source }: Volume): number | undefined => {
  const limit = source?.sizeLimit === undefined ? 0 : unitValue(source.sizeLimit)
  const mounts = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
    ({ volumeMounts = [] }) => volumeMounts,
  )
  const own = mounts.filter((mount) => mount.name === name)
  if (source?.medium !== 'Memory' || limit === 0 || own.length !== 1) return undefined
  return own[0]!.subPath || own[0]!.subPathExpr ? undefined : limit
}

const emptyDir = ({ folder, pod }: VolumeSetting, volume: Volume): ReadyVolume => {
  const { name, emptyDir: source } = volume
  const { uid } = pod.metadata
  const home = source!.medium === 'Memory' ? podMemoryFolder(folder, uid) : podFolder(folder, uid)
  const path = join(home, 'volumes', name)
  const group = fsGroupOf(pod)
  mkdirSync(path, { recursive: true })
  if (group !== undefined) chownSync(path, 0, group)
  chmodSync(path, group === undefined ? 0o777 : 0o2777)
  const bytes = memoryBytes(pod, volume)
  return { path, readOnly: false, ...(bytes === undefined ? {} : { memoryBytes: bytes }) }
}

const checkType = (shown: string, path: string, type: string): void => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const wrong = (what: string): never => {
    throw new VolumeSetupError(`hostPath type check failed: ${shown} is not ${what}`)
  }
  if (type === 'DirectoryOrCreate' || type === 'Directory') {
    if (found?.isDirectory() !== true) wrong('a directory')
  } else if (type === 'FileOrCreate' || type === 'File') {
    if (found?.isFile() !== true) wrong('a file')
  } else if (type === 'Socket') {
    if (found?.isSocket() !== true) wrong('a socket')
  } else if (type === 'CharDevice' || type === 'BlockDevice') {
    // The disk of a node that is a folder has no devices.
    wrong(type === 'CharDevice' ? 'a character device' : 'a block device')
  }
}

const hostPath = ({ folder, nodeName }: VolumeSetting, source: HostPathVolumeSource): ReadyVolume => {
  const { path: shown, type = '' } = source
  const disk = nodeDisk(folder, nodeName)
  mkdirSync(disk, { recursive: true })
  const path = pathInside(disk, shown)
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (!isThere && (type === '' || type === 'DirectoryOrCreate')) makeFolderInside(disk, shown)
  if (!isThere && type === 'FileOrCreate') {
    const parent = openFolderInside(disk, dirname(shown))
    try {
      writeFileSync(join(pathOfDescriptor(parent), basename(shown)), '', { mode: 0o644, flag: 'wx' })
    } finally {
      closeSync(parent)
    }
  }
  checkType(shown, path, type)
  return { path, readOnly: false, exposed: true }
}

const claim = ({ folder, pod, volumes }: VolumeSetting, name: string): ReadyVolume | undefined => {
  const found = volumes.claims.find((one) => one.name === name)
  if (found === undefined) return undefined
  const claims = claimsFolder(folder)
  mkdirSync(claims, { recursive: true })
  const path = claimFolder(folder, found.path)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeFolderInside(claims, found.path, 0o777)
  const group = fsGroupOf(pod)
  if (group !== undefined) giveToGroup(openFolderInside(claims, found.path), group)
  return { path, readOnly: found.readOnly, exposed: true }
}

const files = (setting: VolumeSetting, name: string): ReadyVolume | undefined => {
  const found = setting.volumes.files.find((one) => one.name === name)
  return found === undefined ? undefined : writeFiles(setting, found)
}

const writeFiles = (
  { folder, pod, now }: Pick<VolumeSetting, 'folder' | 'pod' | 'now'>,
  volume: FileVolume,
): ReadyVolume => {
  const path = join(podFolder(folder, pod.metadata.uid), 'volumes', volume.name)
  writeFileVolume(path, { files: volume.files, now, group: fsGroupOf(pod) })
  return { path, readOnly: true }
}

const setUp = (setting: VolumeSetting, volume: Volume): ReadyVolume => {
  if (volume.emptyDir !== undefined) return emptyDir(setting, volume)
  if (volume.hostPath !== undefined) return hostPath(setting, volume.hostPath)
  const ready = files(setting, volume.name) ?? claim(setting, volume.name)
  if (ready !== undefined) return ready
  throw new VolumeSetupError('this cluster has no volumes of that type')
}

/** By name. Throws VolumeSetupError, in the words of the FailedMount event, for the first that cannot be. */
export const setUpVolumes = (setting: VolumeSetting): ReadonlyMap<string, ReadyVolume> => {
  const ready = new Map<string, ReadyVolume>()
  for (const volume of setting.pod.spec.volumes ?? [])
    try {
      ready.set(volume.name, setUp(setting, volume))
    } catch (error) {
      const { message } = error as Error
      throw new VolumeSetupError(`MountVolume.SetUp failed for volume "${volume.name}" : ${message}`)
    }
  return ready
}

/** Shows other content in volumes of files. */
export const refreshFiles = (
  setting: Pick<VolumeSetting, 'folder' | 'pod' | 'now'>,
  volumes: readonly FileVolume[],
): void => {
  for (const volume of volumes) writeFiles(setting, volume)
}
