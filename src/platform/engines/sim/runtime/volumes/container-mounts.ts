/** The files of a simulated container: the root of its image, and the mounts of its volumes. */
import { posix } from 'node:path'
import type { Container, Pod, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import {
  createVolume,
  type FileSource,
  type Mount,
  readVolumeFile,
  type Volume,
} from '#platform/engines/sim/hosts'
import {
  createMissingPathError,
  createMissingVolumeError,
  hostnameOf,
  hostsFileOf,
  MAX_MESSAGE_BYTES,
  mountedPathOf,
  mountPointOf,
  resolvConfOf,
  type Stored,
  terminationPathOf,
} from '#platform/kube/simulated'
import type { ProgramImage } from '../program-runtime-options.ts'
import type { ReadyVolume } from './pod-volumes.ts'

export interface MountOptions {
  readonly pod: Stored<Pod>
  readonly ip: string
  readonly container: Container
  readonly image: ProgramImage
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: ReadonlyMap<string, ReadyVolume>
  /** The working folder, which the runtime creates. */
  readonly folder: string
}

export interface ContainerMounts {
  /** The writable layer. */
  readonly layer: Volume
  readonly mounts: readonly Mount[]
  /** The termination message that the container has written. */
  terminationMessage(): string
}

const SYSTEM_FOLDERS = [
  ...['bin', 'dev/shm', 'etc', 'home', 'lib', 'media', 'mnt', 'opt', 'proc', 'root', 'run', 'sbin', 'srv'],
  ...['sys', 'tmp', 'usr/bin', 'usr/lib', 'usr/local/bin', 'usr/sbin', 'var/lib', 'var/log', 'var/tmp'],
]
const MESSAGE_FILE = 'message'

const textFile = (path: string, content: () => string): FileSource => ({
  path,
  content: () => new TextEncoder().encode(content()),
})

/** The files of /etc that depend on the pod, and those of the image. */
const rootFiles = ({ pod, ip, image }: MountOptions): readonly FileSource[] => [
  textFile('etc/hosts', () => hostsFileOf(pod, ip)),
  textFile('etc/hostname', () => `${hostnameOf(pod)}\n`),
  textFile('etc/resolv.conf', () => resolvConfOf(pod)),
  ...Object.entries(image.files ?? {}).map(([path, content]) => ({ path, content })),
]

const joinPaths = (folder: string | undefined, path: string | undefined): string =>
  [folder ?? '', path ?? ''].filter((part) => part !== '').join('/')

const exists = ({ files, folders }: Volume, path: string): boolean => files.has(path) || folders.has(path)

const mountOf = (mount: VolumeMount, { volumes, environment }: MountOptions): Mount => {
  const ready = volumes.get(mount.name)
  if (ready === undefined) throw createMissingVolumeError(mount)
  const path = mountPointOf(mount)
  const readOnly = mount.readOnly === true || ready.readOnly
  if (ready.memoryBytes !== undefined)
    return { path, volume: createVolume({ kind: 'memory', capacityBytes: ready.memoryBytes }), readOnly }
  const part = mountedPathOf(mount, environment)
  const subPath = joinPaths(ready.path, part === undefined ? undefined : posix.normalize(part))
  if (part !== undefined && ready.readOnly && !exists(ready.volume, subPath))
    throw createMissingPathError(mount)
  return { path, volume: ready.volume, subPath, readOnly }
}

/** Throws ContainerStartError for a mount that is not possible. */
export const createContainerMounts = (options: MountOptions): ContainerMounts => {
  const { container, image, folder } = options
  const volumeMounts = (container.volumeMounts ?? []).map((mount) => mountOf(mount, options))
  const readOnly = container.securityContext?.readOnlyRootFilesystem === true
  const layer = createVolume({
    kind: 'disk',
    files: rootFiles(options),
    folders: image.isBare === true ? [folder] : [...SYSTEM_FOLDERS, folder],
  })
  const messages = createVolume({ kind: 'disk', files: [textFile(MESSAGE_FILE, () => '')] })
  return {
    layer,
    mounts: [
      { path: '/', volume: layer, readOnly },
      ...volumeMounts,
      { path: terminationPathOf(container), volume: messages, subPath: MESSAGE_FILE },
    ],
    terminationMessage() {
      const content = readVolumeFile(messages, MESSAGE_FILE) ?? new Uint8Array()
      return new TextDecoder().decode(content.subarray(0, MAX_MESSAGE_BYTES))
    },
  }
}
