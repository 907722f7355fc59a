/** Sets up the volumes of a pod as folders and files of this machine. */
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
import { type Stored, unitValue } from '#platform/kube/meta'
import { type FileVolume, type PodVolumes, VolumeSetupError } from '#platform/kube/ports'
import { claimFolder, claimsFolder, nodeDisk, podFolder, podMemoryFolder } from '../pods/cluster-folders.ts'
import {
  createFolderInside,
  openEntry,
  openFolderInside,
  pathInside,
  pathOfDescriptor,
} from './path-inside.ts'
import { writeFileVolume } from './write-file-volume.ts'

/** A volume that containers can mount. */
export interface ReadyVolume {
  /** The path on this machine. */
  readonly path: string
  readonly readOnly: boolean
  /** Other pods can write to its parent folder, and could replace it with a link. */
  readonly exposed?: boolean
  /** The size of a tmpfs that is created for the only container that mounts it. */
  readonly memoryBytes?: number
}

export interface VolumeSetup {
  /** The folder of the cluster. */
  folder: string
  nodeName: string
  pod: Stored<Pod>
  volumes: PodVolumes
  now: number
}

const fsGroupOf = (pod: Stored<Pod>): number | undefined => pod.spec.securityContext?.fsGroup

/** Gives the group access recursively and closes `fd`. Uses descriptors, because pods can rename files. */
const chownTree = (fd: number, group: number): void => {
  try {
    const found = fstatSync(fd)
    const path = pathOfDescriptor(fd)
    chownSync(path, found.uid, group)
    if (found.isSymbolicLink()) return
    chmodSync(path, found.mode | (found.isDirectory() ? 0o2770 : 0o660))
    if (!found.isDirectory()) return
    for (const name of readdirSync(path)) {
      const entry = openIfExists(fd, name)
      if (entry !== undefined) chownTree(entry, group)
    }
  } finally {
    closeSync(fd)
  }
}

const openIfExists = (folder: number, name: string): number | undefined => {
  try {
    return openEntry(folder, name)
  } catch {
    // Another pod may have removed it in the meantime.
    return undefined
  }
}

/** Changes the group of a folder and of its content, unless the folder already has the group. */
const ensureGroup = (fd: number, group: number): void => {
  if (fstatSync(fd).gid === group) closeSync(fd)
  else chownTree(fd, group)
}

/**
 * The size of a tmpfs for a volume in memory that a single container mounts. A volume that several containers share is
 * a folder, whose size the kubelet checks.
 */
const memoryBytes = ({ spec }: Stored<Pod>, { name, emptyDir: source }: Volume): number | undefined => {
  const limit = source?.sizeLimit === undefined ? 0 : unitValue(source.sizeLimit)
  const mounts = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
    ({ volumeMounts = [] }) => volumeMounts,
  )
  const podMounts = mounts.filter((mount) => mount.name === name)
  if (source?.medium !== 'Memory' || limit === 0 || podMounts.length !== 1) return undefined
  return podMounts[0]!.subPath || podMounts[0]!.subPathExpr ? undefined : limit
}

const setUpEmptyDir = ({ folder, pod }: VolumeSetup, volume: Volume): ReadyVolume => {
  const { name, emptyDir: source } = volume
  const { uid } = pod.metadata
  const parent = source!.medium === 'Memory' ? podMemoryFolder(folder, uid) : podFolder(folder, uid)
  const path = join(parent, 'volumes', name)
  const group = fsGroupOf(pod)
  mkdirSync(path, { recursive: true })
  if (group !== undefined) chownSync(path, 0, group)
  chmodSync(path, group === undefined ? 0o777 : 0o2777)
  const bytes = memoryBytes(pod, volume)
  return { path, readOnly: false, ...(bytes === undefined ? {} : { memoryBytes: bytes }) }
}

const checkType = (displayedPath: string, path: string, type: string): void => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const reject = (expected: string): never => {
    throw new VolumeSetupError(`hostPath type check failed: ${displayedPath} is not ${expected}`)
  }
  if (type === 'DirectoryOrCreate' || type === 'Directory') {
    if (found?.isDirectory() !== true) reject('a directory')
  } else if (type === 'FileOrCreate' || type === 'File') {
    if (found?.isFile() !== true) reject('a file')
  } else if (type === 'Socket') {
    if (found?.isSocket() !== true) reject('a socket')
  } else if (type === 'CharDevice' || type === 'BlockDevice') {
    // The disk of a node is a folder without devices.
    reject(type === 'CharDevice' ? 'a character device' : 'a block device')
  }
}

const setUpHostPath = ({ folder, nodeName }: VolumeSetup, source: HostPathVolumeSource): ReadyVolume => {
  const { path: hostPath, type = '' } = source
  const disk = nodeDisk(folder, nodeName)
  mkdirSync(disk, { recursive: true })
  const path = pathInside(disk, hostPath)
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (!exists && (type === '' || type === 'DirectoryOrCreate')) createFolderInside(disk, hostPath)
  if (!exists && type === 'FileOrCreate') {
    const parent = openFolderInside(disk, dirname(hostPath))
    try {
      writeFileSync(join(pathOfDescriptor(parent), basename(hostPath)), '', { mode: 0o644, flag: 'wx' })
    } finally {
      closeSync(parent)
    }
  }
  checkType(hostPath, path, type)
  return { path, readOnly: false, exposed: true }
}

const setUpClaim = ({ folder, pod, volumes }: VolumeSetup, name: string): ReadyVolume | undefined => {
  const found = volumes.claims.find((candidate) => candidate.name === name)
  if (found === undefined) return undefined
  const claims = claimsFolder(folder)
  mkdirSync(claims, { recursive: true })
  const path = claimFolder(folder, found.path)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) createFolderInside(claims, found.path, 0o777)
  const group = fsGroupOf(pod)
  if (group !== undefined) ensureGroup(openFolderInside(claims, found.path), group)
  return { path, readOnly: found.readOnly, exposed: true }
}

const setUpFiles = (setup: VolumeSetup, name: string): ReadyVolume | undefined => {
  const found = setup.volumes.files.find((candidate) => candidate.name === name)
  return found === undefined ? undefined : writeFiles(setup, found)
}

const writeFiles = (
  { folder, pod, now }: Pick<VolumeSetup, 'folder' | 'pod' | 'now'>,
  volume: FileVolume,
): ReadyVolume => {
  const path = join(podFolder(folder, pod.metadata.uid), 'volumes', volume.name)
  writeFileVolume(path, { files: volume.files, now, group: fsGroupOf(pod) })
  return { path, readOnly: true }
}

const setUpVolume = (setup: VolumeSetup, volume: Volume): ReadyVolume => {
  if (volume.emptyDir !== undefined) return setUpEmptyDir(setup, volume)
  if (volume.hostPath !== undefined) return setUpHostPath(setup, volume.hostPath)
  const ready = setUpFiles(setup, volume.name) ?? setUpClaim(setup, volume.name)
  if (ready !== undefined) return ready
  throw new VolumeSetupError('this cluster does not support volumes of that type')
}

/**
 * Returns the volumes by name. On the first failure, throws VolumeSetupError with the message of the FailedMount
 * event.
 */
export const setUpVolumes = (setup: VolumeSetup): ReadonlyMap<string, ReadyVolume> => {
  const ready = new Map<string, ReadyVolume>()
  for (const volume of setup.pod.spec.volumes ?? [])
    try {
      ready.set(volume.name, setUpVolume(setup, volume))
    } catch (error) {
      const { message } = error as Error
      throw new VolumeSetupError(`MountVolume.SetUp failed for volume "${volume.name}" : ${message}`)
    }
  return ready
}

/** Replaces the content of volumes of files. */
export const refreshFiles = (
  setup: Pick<VolumeSetup, 'folder' | 'pod' | 'now'>,
  volumes: readonly FileVolume[],
): void => {
  for (const volume of volumes) writeFiles(setup, volume)
}
