/** Makes containers: bundle, root filesystem, configuration, first process. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../kit/index.ts'
import { type Cgroups, memoryFolderOf } from '../../../linux/index.ts'
import { type OciMount, type SystemLayers, startProcess } from '../../../oci/index.ts'
import type { Stored } from '../../meta/index.ts'
import { ContainerStartError } from '../../ports/index.ts'
import { checkBinds, type Shown } from './check-binds.ts'
import { layerFolder, podFolder, podMemoryFolder } from './cluster-folders.ts'
import { checkHostAccess, containerSpec } from './container-spec.ts'
import type { ImageProgram, ProgramMount } from './image-catalogue.ts'
import { createContainerLog } from './logs/container-log.ts'
import {
  createOciContainer,
  type OciContainer,
  type OciContainerParts,
  removeRemains,
} from './oci-container.ts'
import { podEtcMounts } from './pod-etc.ts'
import type { PodPlace } from './pod-place.ts'
import { makeRootFilesystem } from './root-filesystem.ts'
import { createStartSlots } from './start-slots.ts'
import { terminationMount } from './termination-message.ts'
import { areExposed, volumeMounts } from './volume-mounts.ts'

/** Over all nodes of this process: more at a time do not start sooner, and leave nothing to those that run. */
const slots = createStartSlots(4)

export interface LauncherOptions {
  clock: Clock
  cgroups: Cgroups
  system: SystemLayers
  nodeName: string
  /** Of the cluster. */
  folder: string
  /** Of the node. */
  cgroup: string
  program: string
  stateFolder: string
  /** What every container of a pod sees of the host. */
  sharedFolders(pod: Stored<Pod>): readonly ProgramMount[]
  marker: Readonly<Record<string, string>>
}

export interface LaunchRequest {
  place: PodPlace
  container: Container
  image: ImageProgram
  attempt: number
  environment: Readonly<Record<string, string>>
  /** Of a process namespace to join. */
  processPath: string | undefined
}

export interface ContainerLauncher {
  newId(): string
  /** Rejects with ContainerStartError; then nothing is left of it. */
  launch(request: LaunchRequest, id: string): Promise<OciContainer>
}

const programMounts = ({ mounts = [] }: ImageProgram): OciMount[] =>
  mounts.map(({ source, destination }) => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'rprivate', 'ro'],
  }))

/** Things to speak with, not to run. */
const sharedMounts = (folders: readonly ProgramMount[]): OciMount[] =>
  programMounts({ entrypoint: [], mounts: folders }).map((mount) => ({
    ...mount,
    options: [...mount.options, 'nosuid', 'nodev', 'noexec'],
  }))

/**
 * Where a path to be mounted really is. Links on the way to the cluster's folders are the operator's; those below
 * may be a pod's, and are not followed again.
 */
const realPath = (folder: string, path: string): string => {
  const base = [folder, memoryFolderOf(folder)].find((one) => path.startsWith(`${one}/`))
  return base === undefined ? realpathSync(path) : realpathSync(base) + path.slice(base.length)
}

/** In containerd's words, which puts its own before those of the runtime program. */
const startProblem = ({ message }: Error): string =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: ${message.replace(/^runc run failed/, 'runc create failed')}: unknown`

export const createContainerLauncher = (options: LauncherOptions): ContainerLauncher => {
  const { clock, cgroups, system, nodeName, folder, cgroup, program, stateFolder, marker } = options
  let made = 0

  const partsOf = ({ place, container, attempt, image }: LaunchRequest, id: string) => {
    const { uid, name, namespace } = place.pod.metadata
    const run = join(container.name, String(attempt))
    const own = join(podMemoryFolder(folder, uid), 'containers', run)
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
      folder: own,
      layers: layerFolder(folder, id),
      cgroup: `${cgroup}/${uid}/${container.name}-${attempt}`,
      stopSignal: image.stopSignal ?? 'SIGTERM',
    } satisfies Partial<OciContainerParts>
  }

  /** Writes the bundle; gives the folders that the container can write, and those it shares with the host. */
  const prepare = (
    request: LaunchRequest,
    parts: ReturnType<typeof partsOf>,
  ): { writableFolders: readonly string[]; shown: readonly Shown[] } => {
    const { place, container, image, environment, processPath } = request
    const { pod, attachment, volumes } = place
    checkHostAccess(pod, container)
    mkdirSync(parts.folder, { recursive: true })
    mkdirSync(parts.layers, { recursive: true })
    const readOnly = container.securityContext?.readOnlyRootFilesystem === true
    const root = makeRootFilesystem(parts.layers, system, { readOnly, bare: image.bare === true })
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
    const shown = binds.map(({ source, options: flags }) => ({
      path: realPath(folder, source),
      readOnly: flags.includes('ro'),
    }))
    return { writableFolders: root.writableFolders, shown }
  }

  const start = async (request: LaunchRequest, parts: ReturnType<typeof partsOf>): Promise<OciContainer> => {
    const { place, container, attempt } = request
    if (place.closing.signal.aborted) throw new ContainerStartError('the pod is being removed', 'create')
    const { writableFolders, shown } = prepare(request, parts)
    const started = await startProcess({
      program,
      stateFolder,
      marker,
      id: parts.id,
      clock,
      bundle: parts.folder,
      signal: place.closing.signal,
      stdin: container.stdin === true,
      tty: container.tty === true,
      check: areExposed(container, place.volumes) ? (pid) => checkBinds(pid, shown) : undefined,
    }).catch((error: Error) => {
      throw new ContainerStartError(startProblem(error), 'start')
    })
    const logs = join(podFolder(folder, parts.podUid), 'logs', container.name, String(attempt))
    const log = createContainerLog({ folder: logs, clock })
    const instance = createOciContainer({ ...parts, writableFolders, log }, started)
    place.containers.add(instance)
    instance.removed.finally(() => place.containers.delete(instance)).catch(() => {})
    return instance
  }

  const launch = async (request: LaunchRequest, id: string): Promise<OciContainer> => {
    const parts = partsOf(request, id)
    try {
      return await slots.run(() => start(request, parts), clock)
    } catch (error) {
      await removeRemains(parts)
      throw error instanceof ContainerStartError
        ? error
        : new ContainerStartError((error as Error).message, 'create')
    }
  }

  return {
    newId() {
      made += 1
      return createHash('sha256').update(`${folder} ${nodeName} ${made} ${clock.now()}`).digest('hex')
    },
    launch(request, id) {
      const launching = launch(request, id)
      const { starts } = request.place
      starts.add(launching)
      launching.catch(() => {}).finally(() => starts.delete(launching))
      return launching
    },
  }
}
