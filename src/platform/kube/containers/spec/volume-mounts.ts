/** The rules for the mounts of volumes: which part of a volume, and where in the container. */
import { posix } from 'node:path'
import type { Pod, Volume, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import { type Stored, unitValue } from '#platform/kube/meta'
import { ContainerStartError, VolumeSetupError } from '#platform/kube/ports'

type Variables = Readonly<Record<string, string>>

/** Expands `$(NAME)` in a subPathExpr; an undefined name is an error, unlike in a command. */
const expandVariables = (text: string, variables: Variables): string =>
  text.replace(/\$(\$|\(([^()]*)\))/g, (_, kind: string, name: string) => {
    if (kind === '$') return '$'
    if (Object.hasOwn(variables, name)) return variables[name]!
    throw new ContainerStartError(`missing value for "${name}"`, 'config')
  })

/** The part of the volume that is mounted; undefined for the whole volume. Throws ContainerStartError. */
export const mountedPathOf = (mount: VolumeMount, variables: Variables): string | undefined => {
  const { name, subPath, subPathExpr } = mount
  const path = subPathExpr ? expandVariables(subPathExpr, variables) : subPath
  if (!path) return undefined
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new ContainerStartError(
      `failed to prepare subPath for volumeMount "${name}" of container: must be a path inside the volume`,
      'config',
    )
  return path
}

/** The error for a part of a read-only volume that does not exist and cannot be created. */
export const createMissingPathError = ({ name }: VolumeMount): ContainerStartError =>
  new ContainerStartError(`failed to prepare subPath for volumeMount "${name}" of container`, 'config')

export const createMissingVolumeError = ({ name }: VolumeMount): ContainerStartError =>
  new ContainerStartError(`cannot find volume "${name}" to mount into container`, 'config')

/**
 * Whether the path belongs to the container's own system. The runtime program opens and mounts files there with the
 * host's privileges, and must not find files or links of a volume.
 */
export const isSystemPath = (path: string): boolean =>
  /^\/((proc|sys|dev\/pts)(\/.*)?|dev)?$/.test(path.replace(/(.)\/+$/, '$1'))

/** The mount point. Throws ContainerStartError if it belongs to the system of the container. */
export const mountPointOf = ({ mountPath }: VolumeMount): string => {
  const path = mountPath.startsWith('/') ? mountPath : `/${mountPath}`
  if (!isSystemPath(posix.normalize(path).replace(/^\/+/, '/'))) return path
  throw new ContainerStartError(
    `failed to create containerd container: a volume cannot be mounted at ${path}, which is reserved for the system of the container`,
    'create',
  )
}

/**
 * The size of a volume in memory that a single container mounts. The size of a volume that several containers share is not limited
 * by the kernel: the kubelet checks it.
 */
export const memoryVolumeBytes = (
  { spec }: Stored<Pod>,
  { name, emptyDir: source }: Volume,
): number | undefined => {
  const limit = source?.sizeLimit === undefined ? 0 : unitValue(source.sizeLimit)
  const mounts = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
    ({ volumeMounts = [] }) => volumeMounts,
  )
  const podMounts = mounts.filter((mount) => mount.name === name)
  if (source?.medium !== 'Memory' || limit === 0 || podMounts.length !== 1) return undefined
  return podMounts[0]!.subPath || podMounts[0]!.subPathExpr ? undefined : limit
}

/**
 * Sets up the volumes of a pod, by name. On the first failure, throws VolumeSetupError with the message of the FailedMount event.
 * `setUp` returns undefined for a type of volume that the cluster does not support.
 */
export const setUpEach = <T>(
  { spec }: Stored<Pod>,
  setUp: (volume: Volume) => T | undefined,
): ReadonlyMap<string, T> => {
  const ready = new Map<string, T>()
  for (const volume of spec.volumes ?? [])
    try {
      const result = setUp(volume)
      if (result === undefined) throw new Error('this cluster does not support volumes of that type')
      ready.set(volume.name, result)
    } catch (error) {
      const { message } = error as Error
      throw new VolumeSetupError(`MountVolume.SetUp failed for volume "${volume.name}" : ${message}`)
    }
  return ready
}

/** The type of the entry at the path of a hostPath volume; undefined if there is none. */
export type HostPathEntry = 'folder' | 'file' | 'socket' | undefined

/** Returns the type of the entry to create if the path of a hostPath volume of this type does not exist. */
export const createdByType = (type = ''): 'folder' | 'file' | undefined => {
  if (type === '' || type === 'DirectoryOrCreate') return 'folder'
  return type === 'FileOrCreate' ? 'file' : undefined
}

/** Throws if the entry at the path of a hostPath volume does not match the type of the volume. */
export const checkHostPathType = (path: string, found: HostPathEntry, type = ''): void => {
  const reject = (expected: string): never => {
    throw new Error(`hostPath type check failed: ${path} is not ${expected}`)
  }
  if (type === 'DirectoryOrCreate' || type === 'Directory') {
    if (found !== 'folder') reject('a directory')
  } else if (type === 'FileOrCreate' || type === 'File') {
    if (found !== 'file') reject('a file')
  } else if (type === 'Socket') {
    if (found !== 'socket') reject('a socket')
  } else if (type === 'CharDevice' || type === 'BlockDevice') {
    // The disk of a node is a folder without devices.
    reject(type === 'CharDevice' ? 'a character device' : 'a block device')
  }
}
