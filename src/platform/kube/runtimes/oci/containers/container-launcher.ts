/** Launches containers: bundle, root filesystem, configuration, first process. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import { type Cgroups, memoryFolderOf } from '#machine/linux'
import { type OciMount, type SystemLayers, startProcess } from '#machine/oci'
import { checkHostAccess, startProblem } from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'
import { ContainerStartError } from '#platform/kube/ports'
import type { ImageProgram, ProgramMount } from '../images/image-catalogue.ts'
import { createContainerLog } from '../logs/container-log.ts'
import { layerFolder, podFolder, podMemoryFolder } from '../pods/cluster-folders.ts'
import type { LocalPod } from '../pods/local-pod.ts'
import { podEtcMounts } from '../pods/pod-etc.ts'
import { type AllowedBind, checkBinds } from '../volumes/check-binds.ts'
import { canBeRedirected, volumeMounts } from '../volumes/volume-mounts.ts'
import { containerSpec } from './container-spec.ts'
import {
  createOciContainer,
  type OciContainer,
  type OciContainerParts,
  removeRemains,
} from './oci-container.ts'
import { createRootFilesystem } from './root-filesystem.ts'
import { createStartSlots } from './start-slots.ts'
import { terminationMount } from './termination-message.ts'

/** Shared by all nodes of this process: more concurrent starts would be no faster and starve running containers. */
const slots = createStartSlots(4)

export interface LauncherOptions {
  clock: Clock
  cgroups: Cgroups
  system: SystemLayers
  nodeName: string
  /** The folder of the cluster. */
  folder: string
  /** The control group of the node. */
  cgroup: string
  program: string
  stateFolder: string
  /** The folders of the host that every container of a pod can read. */
  sharedFolders(pod: Stored<Pod>): readonly ProgramMount[]
  marker: Readonly<Record<string, string>>
}

export interface LaunchRequest {
  localPod: LocalPod
  container: Container
  image: ImageProgram
  attempt: number
  environment: Readonly<Record<string, string>>
  /** The path of a process namespace to join. */
  processPath: string | undefined
}

export interface ContainerLauncher {
  newId(): string
  /** Rejects with ContainerStartError after removing everything it created. */
  launch(request: LaunchRequest, id: string): Promise<OciContainer>
}

const programMounts = ({ mounts = [] }: ImageProgram): OciMount[] =>
  mounts.map(({ source, destination }) => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'rprivate', 'ro'],
  }))

/** Mounts for data and sockets, from which no program can be run. */
const sharedMounts = (folders: readonly ProgramMount[]): OciMount[] =>
  programMounts({ entrypoint: [], mounts: folders }).map((mount) => ({
    ...mount,
    options: [...mount.options, 'nosuid', 'nodev', 'noexec'],
  }))

/**
 * Resolves the links of a path to be mounted. Links above the cluster's folders belong to the operator and are
 * followed; links below may belong to a pod and are not.
 */
const realPath = (folder: string, path: string): string => {
  const base = [folder, memoryFolderOf(folder)].find((candidate) => path.startsWith(`${candidate}/`))
  return base === undefined ? realpathSync(path) : realpathSync(base) + path.slice(base.length)
}

const partsOf = (
  options: LauncherOptions,
  { localPod, container, attempt, image }: LaunchRequest,
  id: string,
) => {
  const { folder, cgroup, stateFolder, clock, cgroups } = options
  const { uid, name, namespace } = localPod.pod.metadata
  const run = join(container.name, String(attempt))
  return {
    id,
    container,
    attempt,
    stateFolder,
    clock,
    cgroups,
    podUid: uid,
    podName: name!,
    namespace: namespace!,
    folder: join(podMemoryFolder(folder, uid), 'containers', run),
    layers: layerFolder(folder, id),
    cgroup: `${cgroup}/${uid}/${container.name}-${attempt}`,
    stopSignal: image.stopSignal ?? 'SIGTERM',
  } satisfies Partial<OciContainerParts>
}

type LaunchParts = ReturnType<typeof partsOf>

interface Bundle {
  writableFolders: readonly string[]
  /** The paths of the host that the container may see. */
  allowed: readonly AllowedBind[]
}

const writeBundle = (options: LauncherOptions, request: LaunchRequest, parts: LaunchParts): Bundle => {
  const { cgroups, system, folder } = options
  const { localPod, container, image, environment, processPath } = request
  const { pod, attachment, volumes } = localPod
  checkHostAccess(pod, container)
  mkdirSync(parts.folder, { recursive: true })
  mkdirSync(parts.layers, { recursive: true })
  const readOnly = container.securityContext?.readOnlyRootFilesystem === true
  const root = createRootFilesystem(parts.layers, system, { readOnly, bare: image.bare === true })
  const etc = join(podMemoryFolder(folder, parts.podUid), 'etc')
  const spec = containerSpec({
    pod,
    container,
    image,
    environment,
    root,
    processPath,
    cgroup: parts.cgroup,
    mounts: [
      ...programMounts(image),
      ...sharedMounts(options.sharedFolders(pod)),
      ...podEtcMounts(etc, readOnly),
      ...volumeMounts(container, volumes, environment),
      terminationMount(parts.folder, container),
    ],
    networkPath: attachment.namespacePath,
    cgroups,
  })
  writeFileSync(join(parts.folder, 'config.json'), JSON.stringify(spec))
  const binds = spec.mounts.filter(({ type }) => type === 'bind')
  const allowed = binds.map(({ source, options: flags }) => ({
    path: realPath(folder, source),
    readOnly: flags.includes('ro'),
  }))
  return { writableFolders: root.writableFolders, allowed }
}

const startContainer = async (
  options: LauncherOptions,
  request: LaunchRequest,
  parts: LaunchParts,
): Promise<OciContainer> => {
  const { clock, folder, program, stateFolder, marker } = options
  const { localPod, container, attempt } = request
  if (localPod.closing.signal.aborted) throw new ContainerStartError('the pod is being removed', 'create')
  const { writableFolders, allowed } = writeBundle(options, request, parts)
  const started = await startProcess({
    program,
    stateFolder,
    marker,
    id: parts.id,
    clock,
    bundle: parts.folder,
    signal: localPod.closing.signal,
    stdin: container.stdin === true,
    tty: container.tty === true,
    check: canBeRedirected(container, localPod.volumes) ? (pid) => checkBinds(pid, allowed) : undefined,
  }).catch((error: Error) => {
    const reason = error.message.replace(/^runc run failed/, 'runc create failed')
    throw new ContainerStartError(startProblem(reason), 'start')
  })
  const logs = join(podFolder(folder, parts.podUid), 'logs', container.name, String(attempt))
  const log = createContainerLog({ folder: logs, clock })
  const instance = createOciContainer({ ...parts, writableFolders, log }, started)
  localPod.containers.add(instance)
  instance.removed.finally(() => localPod.containers.delete(instance)).catch(() => {})
  return instance
}

export const createContainerLauncher = (options: LauncherOptions): ContainerLauncher => {
  const { clock, nodeName, folder } = options
  let created = 0

  const launch = async (request: LaunchRequest, id: string): Promise<OciContainer> => {
    const parts = partsOf(options, request, id)
    try {
      return await slots.run(() => startContainer(options, request, parts), clock)
    } catch (error) {
      await removeRemains(parts)
      throw error instanceof ContainerStartError
        ? error
        : new ContainerStartError((error as Error).message, 'create')
    }
  }

  return {
    newId() {
      created += 1
      return createHash('sha256').update(`${folder} ${nodeName} ${created} ${clock.now()}`).digest('hex')
    },

    launch(request, id) {
      const launching = launch(request, id)
      const { starts } = request.localPod
      starts.add(launching)
      launching.catch(() => {}).finally(() => starts.delete(launching))
      return launching
    },
  }
}
