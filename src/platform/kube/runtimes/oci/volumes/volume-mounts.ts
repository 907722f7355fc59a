/** Builds the mounts of a container's volumes. */
import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import type { Container, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import { ContainerStartError } from '#platform/kube/ports'
import { createFolderInside, pathInside } from './path-inside.ts'
import type { ReadyVolume } from './pod-volumes.ts'

type Variables = Readonly<Record<string, string>>

/** Expands `$(NAME)` in a subPathExpr; an undefined name is an error, unlike in a command. */
const expandVariables = (text: string, variables: Variables): string =>
  text.replace(/\$(\$|\(([^()]*)\))/g, (_, kind: string, name: string) => {
    if (kind === '$') return '$'
    if (Object.hasOwn(variables, name)) return variables[name]!
    throw new ContainerStartError(`missing value for "${name}"`, 'config')
  })

const sourceOf = ({ path, readOnly }: ReadyVolume, mount: VolumeMount, variables: Variables): string => {
  const { name, subPath, subPathExpr } = mount
  const relativePath = subPathExpr ? expandVariables(subPathExpr, variables) : subPath
  if (!relativePath) return path
  if (relativePath.startsWith('/') || relativePath.split('/').includes('..'))
    throw new ContainerStartError(
      `failed to prepare subPath for volumeMount "${name}" of container: must be a path inside the volume`,
      'config',
    )
  const source = pathInside(path, relativePath)
  if (lstatSync(source, { throwIfNoEntry: false }) !== undefined) return source
  // The missing path cannot be created in a read-only volume.
  if (readOnly)
    throw new ContainerStartError(
      `failed to prepare subPath for volumeMount "${name}" of container`,
      'config',
    )
  createFolderInside(path, relativePath)
  return source
}

/**
 * Whether the path belongs to the container's own system. The runtime program opens and mounts files there with the
 * host's privileges, and must not find files or links of a volume.
 */
export const isSystemPath = (path: string): boolean =>
  /^\/((proc|sys|dev\/pts)(\/.*)?|dev)?$/.test(path.replace(/(.)\/+$/, '$1'))

const destinationOf = ({ mountPath }: VolumeMount): string => {
  const path = mountPath.startsWith('/') ? mountPath : `/${mountPath}`
  if (!isSystemPath(posix.normalize(path).replace(/^\/+/, '/'))) return path
  throw new ContainerStartError(
    `failed to create containerd container: a volume cannot be mounted at ${path}, which is reserved for the system of the container`,
    'create',
  )
}

/** Throws ContainerStartError for a mount that is not possible. */
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
      // nodev: programs of Remedium that access the volume for a container must not open devices created in it.
      options: ['rbind', 'rprivate', 'nodev', readOnly ? 'ro' : 'rw'],
    }
  })

/**
 * Whether a process of a pod can change the source of a mount while it is being mounted, or redirect its target with a
 * link in another volume. Any two writable volumes count, because the paths alone do not show whether one is inside
 * the other.
 */
export const canBeRedirected = (
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
