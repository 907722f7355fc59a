/** The mounts of a simulated container, which map paths in the container to volumes. */
import { posix } from 'node:path'
import { addFolders, type Volume } from './volume.ts'

export interface Mount {
  /** The mount point, an absolute path. */
  readonly path: string
  readonly volume: Volume
  /** The folder or file of the volume that is mounted; the root of the volume by default. */
  readonly subPath?: string | undefined
  /** Volumes of kind `objects` are always read-only. */
  readonly readOnly?: boolean | undefined
}

/** A path in a volume, and the mount through which the container reaches it. */
export interface Location {
  readonly mount: Mount
  readonly path: string
}

export interface MountTable {
  readonly mounts: readonly Mount[]
  locate(path: string): Location
  /** The names of the mount points directly in a folder. */
  mountPointsIn(path: string): readonly string[]
}

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || folder === '/' || path.startsWith(`${folder}/`)

export const isWritable = ({ volume, readOnly = false }: Mount): boolean =>
  volume.kind !== 'objects' && !readOnly

/** The path at which the container sees a path of the volume. */
export const toContainerPath = ({ path, subPath = '' }: Mount, volumePath: string): string =>
  posix.join(path, subPath === '' ? volumePath : volumePath.slice(subPath.length))

/**
 * A part of a volume with the content of API objects keeps its content when the volume is replaced, as with a kubelet: the mount
 * leads to the former files.
 */
const toFixedMount = ({ path, volume, subPath = '', readOnly = false }: Mount): Mount => ({
  path: posix.resolve('/', path),
  volume: subPath !== '' && volume.kind === 'objects' ? { ...volume } : volume,
  subPath: posix.relative('/', posix.resolve('/', subPath)),
  readOnly,
})

const join = (folder: string, path: string): string =>
  folder === '' || path === '' ? folder + path : `${folder}/${path}`

const locateIn = (mounts: readonly Mount[], path: string): Location => {
  const resolved = posix.resolve('/', path)
  const mount = mounts.find((each) => isWithin(resolved, each.path))
  if (mount === undefined) throw new Error(`the container has no mount that contains ${path}`)
  const below = resolved.slice(mount.path.length).replace(/^\//, '')
  return { mount, path: join(mount.subPath ?? '', below) }
}

/** Creates the folders that the container runtime creates: mounted parts of volumes, and the folders above mount points. */
const addMissingFolders = (mounts: readonly Mount[]): void => {
  for (const { path, volume, subPath = '' } of mounts) {
    if (volume.kind !== 'objects' && !volume.files.has(subPath)) addFolders(volume, subPath)
    const above = locateIn(mounts, posix.dirname(path))
    if (above.mount.volume.kind !== 'objects') addFolders(above.mount.volume, above.path)
  }
}

/** `mounts` must contain the root of the container, `/`. A later mount hides an earlier one at the same path. */
export const createMountTable = (mounts: readonly Mount[]): MountTable => {
  const deepestFirst = mounts
    .map(toFixedMount)
    .reverse()
    .sort((a, b) => b.path.length - a.path.length)
  addMissingFolders(deepestFirst)
  return {
    mounts: deepestFirst,
    locate: (path) => locateIn(deepestFirst, path),
    mountPointsIn(path) {
      const folder = posix.resolve('/', path)
      const points = deepestFirst.map((mount) => mount.path).filter((point) => point !== '/')
      return points.filter((point) => posix.dirname(point) === folder).map((point) => posix.basename(point))
    },
  }
}
