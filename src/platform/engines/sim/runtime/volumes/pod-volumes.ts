/** The volumes of a simulated pod. */

import type { HostPathVolumeSource, Pod, Volume as PodVolume } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import {
  addFile,
  addFolders,
  createVolume,
  parentOf,
  replaceFiles,
  type Volume,
} from '#platform/engines/sim/hosts'
import {
  checkHostPathType,
  createdByType,
  type FileVolume,
  memoryVolumeBytes,
  type PodVolumes,
  type Stored,
  setUpEach,
} from '#platform/kube/simulated'
import type { SimDisks } from '../sim-disks.ts'

/** A volume that containers can mount. */
export interface ReadyVolume {
  readonly kind: 'emptyDir' | 'persistent' | 'files'
  readonly volume: Volume
  /** The part of the volume that belongs to the pod; the whole by default. */
  readonly path?: string
  readonly readOnly: boolean
  /** Each run of a container gets an empty volume in memory of this size, instead of `volume`. */
  readonly memoryBytes?: number
}

export interface VolumeSetup {
  readonly disks: SimDisks
  readonly nodeName: string
  readonly pod: Stored<Pod>
  readonly volumes: PodVolumes
}

const setUpEmptyDir = (pod: Stored<Pod>, volume: PodVolume): ReadyVolume => {
  const memoryBytes = memoryVolumeBytes(pod, volume)
  return {
    kind: 'emptyDir',
    volume: createVolume({ kind: volume.emptyDir!.medium === 'Memory' ? 'memory' : 'disk' }),
    readOnly: false,
    ...defined({ memoryBytes }),
  }
}

const entryAt = ({ files, folders }: Volume, path: string): 'folder' | 'file' | undefined => {
  if (folders.has(path)) return 'folder'
  return files.has(path) ? 'file' : undefined
}

const setUpHostPath = ({ disks, nodeName }: VolumeSetup, source: HostPathVolumeSource): ReadyVolume => {
  const volume = disks.node(nodeName)
  const path = source.path.split('/').filter(Boolean).join('/')
  const created = entryAt(volume, path) === undefined ? createdByType(source.type) : undefined
  if (created === 'folder') addFolders(volume, path)
  if (created === 'file') {
    addFolders(volume, parentOf(path))
    addFile(volume, path)
  }
  checkHostPathType(source.path, entryAt(volume, path), source.type)
  return { kind: 'persistent', volume, path, readOnly: false }
}

const setUpVolume = (setup: VolumeSetup, volume: PodVolume): ReadyVolume | undefined => {
  const { pod, volumes, disks } = setup
  if (volume.emptyDir !== undefined) return setUpEmptyDir(pod, volume)
  if (volume.hostPath !== undefined) return setUpHostPath(setup, volume.hostPath)
  const files = volumes.files.find(({ name }) => name === volume.name)
  if (files !== undefined)
    return {
      kind: 'files',
      volume: createVolume({ kind: 'objects', files: files.files }),
      readOnly: true,
    }
  const claim = volumes.claims.find(({ name }) => name === volume.name)
  return claim && { kind: 'persistent', volume: disks.claim(claim.path), readOnly: claim.readOnly }
}

/** Throws VolumeSetupError with the message of the FailedMount event. */
export const setUpVolumes = (setup: VolumeSetup): ReadonlyMap<string, ReadyVolume> =>
  setUpEach(setup.pod, (volume) => setUpVolume(setup, volume))

/** Replaces the content of volumes of files, each at once. */
export const refreshFiles = (
  ready: ReadonlyMap<string, ReadyVolume>,
  volumes: readonly FileVolume[],
): void => {
  for (const changed of volumes) {
    const volume = ready.get(changed.name)
    if (volume?.kind === 'files') replaceFiles(volume.volume, changed.files)
  }
}
