/** Builds the mounts of a container's volumes. */
import { lstatSync } from 'node:fs'
import type { Container, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import type { OciMount } from '#machine/oci'
import {
  createMissingPathError,
  createMissingVolumeError,
  mountedPathOf,
  mountPointOf,
} from '#platform/kube/containers'
import { createFolderInside, pathInside } from './path-inside.ts'
import type { ReadyVolume } from './pod-volumes.ts'

type Variables = Readonly<Record<string, string>>

const sourceOf = ({ path, readOnly }: ReadyVolume, mount: VolumeMount, variables: Variables): string => {
  const relativePath = mountedPathOf(mount, variables)
  if (relativePath === undefined) return path
  const source = pathInside(path, relativePath)
  if (lstatSync(source, { throwIfNoEntry: false }) !== undefined) return source
  // The missing path cannot be created in a read-only volume.
  if (readOnly) throw createMissingPathError(mount)
  createFolderInside(path, relativePath)
  return source
}

/** Throws ContainerStartError for a mount that is not possible. */
export const volumeMounts = (
  { volumeMounts: mounts = [] }: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
  variables: Variables,
): OciMount[] =>
  mounts.map((mount) => {
    const volume = volumes.get(mount.name)
    if (volume === undefined) throw createMissingVolumeError(mount)
    const readOnly = mount.readOnly === true || volume.readOnly
    if (volume.memoryBytes !== undefined)
      return {
        destination: mountPointOf(mount),
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'mode=1777', `size=${volume.memoryBytes}`, readOnly ? 'ro' : 'rw'],
      }
    return {
      destination: mountPointOf(mount),
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
