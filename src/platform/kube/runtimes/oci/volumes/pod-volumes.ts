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
import { defined } from '#kit'
import {
  checkHostPathType,
  createdByType,
  type HostPathEntry,
  memoryVolumeBytes,
  setUpEach,
} from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'
import type { FileVolume, PodVolumes } from '#platform/kube/ports'
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

const setUpEmptyDir = ({ folder, pod }: VolumeSetup, volume: Volume): ReadyVolume => {
  const { name, emptyDir: source } = volume
  const { uid } = pod.metadata
  const parent = source!.medium === 'Memory' ? podMemoryFolder(folder, uid) : podFolder(folder, uid)
  const path = join(parent, 'volumes', name)
  const group = fsGroupOf(pod)
  mkdirSync(path, { recursive: true })
  if (group !== undefined) chownSync(path, 0, group)
  chmodSync(path, group === undefined ? 0o777 : 0o2777)
  const bytes = memoryVolumeBytes(pod, volume)
  return { path, readOnly: false, ...defined({ memoryBytes: bytes }) }
}

const entryAt = (path: string): HostPathEntry => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return 'folder'
  if (found?.isFile() === true) return 'file'
  return found?.isSocket() === true ? 'socket' : undefined
}

const setUpHostPath = ({ folder, nodeName }: VolumeSetup, source: HostPathVolumeSource): ReadyVolume => {
  const { path: hostPath, type } = source
  const disk = nodeDisk(folder, nodeName)
  mkdirSync(disk, { recursive: true })
  const path = pathInside(disk, hostPath)
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const created = exists ? undefined : createdByType(type)
  if (created === 'folder') createFolderInside(disk, hostPath)
  if (created === 'file') {
    const parent = openFolderInside(disk, dirname(hostPath))
    try {
      writeFileSync(join(pathOfDescriptor(parent), basename(hostPath)), '', { mode: 0o644, flag: 'wx' })
    } finally {
      closeSync(parent)
    }
  }
  checkHostPathType(hostPath, entryAt(path), type)
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

const setUpVolume = (setup: VolumeSetup, volume: Volume): ReadyVolume | undefined => {
  if (volume.emptyDir !== undefined) return setUpEmptyDir(setup, volume)
  if (volume.hostPath !== undefined) return setUpHostPath(setup, volume.hostPath)
  return setUpFiles(setup, volume.name) ?? setUpClaim(setup, volume.name)
}

/**
 * Returns the volumes by name. On the first failure, throws VolumeSetupError with the message of the FailedMount
 * event.
 */
export const setUpVolumes = (setup: VolumeSetup): ReadonlyMap<string, ReadyVolume> =>
  setUpEach(setup.pod, (volume) => setUpVolume(setup, volume))

/** Replaces the content of volumes of files. */
export const refreshFiles = (
  setup: Pick<VolumeSetup, 'folder' | 'pod' | 'now'>,
  volumes: readonly FileVolume[],
): void => {
  for (const volume of volumes) writeFiles(setup, volume)
}
