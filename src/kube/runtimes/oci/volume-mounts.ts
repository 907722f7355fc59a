/** The mounts of a container's volumes. */
import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import type { Container, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '../../../oci/index.ts'
import { ContainerStartError } from '../../ports/index.ts'
import { makeFolderInside, pathInside } from './path-inside.ts'
import type { ReadyVolume } from './pod-volumes.ts'

type Variables = Readonly<Record<string, string>>

/** `$(NAME)` in a subPathExpr; a name without a value is an error, unlike in a command. */
const expand = (text: string, variables: Variables): string =>
  text.replace(/\$(\$|\(([^()]*)\))/g, (_, kind: string, name: string) => {
    if (kind === '$') return '$'
    if (Object.hasOwn(variables, name)) return variables[name]!
    throw new ContainerStartError(`missing value for "${name}"`, 'config')
  })

const sourceOf = ({ path, readOnly }: ReadyVolume, mount: VolumeMount, variables: Variables): string => {
  const { name, subPath, subPathExpr } = mount
  const below = subPathExpr ? expand(subPathExpr, variables) : subPath
  if (!below) return path
  if (below.startsWith('/') || below.split('/').includes('..'))
    throw new ContainerStartError(
      `failed to prepare subPath for volumeMount "${name}" of container: must be a path inside the volume`,
      'config',
    )
  const source = pathInside(path, below)
  if (lstatSync(source, { throwIfNoEntry: false }) !== undefined) return source
  // What is missing in a volume of files is missing for good.
  if (readOnly)
    throw new ContainerStartError(
      `failed to prepare subPath for volumeMount "${name}" of container`,
      'config',
    )
  makeFolderInside(path, below)
  return source
}

/**
 * Whether a container has its own system there. The runtime program opens files of these folders with the powers of
 * the host, and puts them over what hides the kernel's own: it must not find another's files or links there.
 */
export const isSystemPath = (path: string): boolean =>
  /^\/((proc|sys|dev\/pts)(\/.*)?|dev)?$/.test(path.replace(/(.)\/+$/, '$1'))

const destinationOf = ({ mountPath }: VolumeMount): string => {
  const path = mountPath.startsWith('/') ? mountPath : `/${mountPath}`
  if (!isSystemPath(posix.normalize(path).replace(/^\/+/, '/'))) return path
  throw new ContainerStartError(
    `failed to create containerd container: no volume can be mounted at ${path}, where a container has its own system`,
    'create',
  )
}

/** Throws ContainerStartError for one that cannot be. */
export const volumeMounts = (
  { volumeMounts: mounts = [] }: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
  variables: Variables,
): OciMount[] =>
  mounts.map((mount) => {
    const volume = volumes.get(mount.name)
    if (volume === undefined)
      throw new ContainerStartError(`cannot find volume "${mount.name}" to mount into container`, 'config')
    const readOnly = mount.readOnly === true || volume.readOnly
    if (volume.memoryBytes !== undefined)
      return {
        destination: destinationOf(mount),
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'mode=1777', `size=${volume.memoryBytes}`, readOnly ? 'ro' : 'rw'],
      }
    return {
      destination: destinationOf(mount),
      type: 'bind',
      source: sourceOf(volume, mount, variables),
      // A device made there could be opened by programs of ours that stand between a container and its volume.
      options: ['rbind', 'rprivate', 'nodev', readOnly ? 'ro' : 'rw'],
    }
  })

/**
 * Whether somebody may change where one of the mounts leads: from, while it is made; or to, by a link in a volume
 * that the place of another lies in. The latter cannot be told from the paths alone, which may hold other links.
 */
export const areExposed = (
  { volumeMounts: mounts = [] }: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
): boolean => {
  const writable = mounts.filter(({ name }) => volumes.get(name)?.readOnly === false)
  return (
    writable.length > 1 ||
    mounts.some(({ name }) => volumes.get(name)?.exposed === true) ||
    writable.some(({ subPath, subPathExpr }) => Boolean(subPath || subPathExpr))
  )
}
