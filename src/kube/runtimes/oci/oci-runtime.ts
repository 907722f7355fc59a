/** A container runtime of real processes, each started by an OCI runtime program and waited for by this one. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, findExecutable, type Timer } from '../../../kit/index.ts'
import { childReaper, createCgroups, removeTree } from '../../../linux/index.ts'
import { makeSystemLayers, removeCgroup } from '../../../oci/index.ts'
import {
  ContainerStartError,
  type Reply,
  type RunningContainer,
  type StartContainer,
} from '../../ports/index.ts'
import { fullImageName, imageIdOf } from '../image-name.ts'
import { nodeDisk, podFolder, sharedFolders, stateFolderOf } from './cluster-folders.ts'
import { createContainerAccess } from './container-access.ts'
import { createContainerLauncher } from './container-launcher.ts'
import { createContainerRegister } from './container-register.ts'
import { createContainerStatistics } from './container-statistics.ts'
import type { VolumeFolders } from './disk-usage.ts'
import { createImageStore } from './image-store.ts'
import type { OciContainer } from './oci-container.ts'
import type { OciRuntime, OciRuntimeOptions } from './oci-runtime-options.ts'
import type { PodPlace } from './pod-place.ts'
import { removeFiles } from './pod-place.ts'
import { createPodPlaces } from './pod-places.ts'
import { refreshFiles } from './pod-volumes.ts'

const PULL_MS = 5
/** How often it looks for containers that the kernel has cut short. */
const STARVED_MS = 500

/** Replies with what the promise comes to. What the receiver throws is not the promise's affair. */
const replyWith = <T>(clock: Clock, reply: Reply<T>, promise: Promise<T>): void => {
  promise.then(
    (value) => clock.defer(() => reply({ ok: true, value })),
    (error: Error) => clock.defer(() => reply({ ok: false, error })),
  )
}

/**
 * Whose process namespace a container joins: the pod's, or that of the container that it is there to debug. A
 * descriptor, to be closed: by the time of the start, a process of the host may have the number of one that has ended.
 */
const openNamespaceToJoin = (
  { holder, containers }: PodPlace,
  { container }: StartContainer,
): number | undefined => {
  const { targetContainerName } = container as { targetContainerName?: string }
  const target =
    holder ??
    (targetContainerName
      ? [...containers].find((one) => one.container.name === targetContainerName && one.pid !== undefined)
      : undefined)
  return target?.pid === undefined ? undefined : openSync(`/proc/${target.pid}/ns/pid`, 'r')
}

const volumeFoldersOf = (place: PodPlace | undefined): VolumeFolders => {
  const isEmptyDir = new Set(
    (place?.pod.spec.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name),
  )
  const all = [...(place?.volumes ?? [])]
  return {
    emptyDirs: new Map(all.filter(([name]) => isEmptyDir.has(name)).map(([name, { path }]) => [name, path])),
    lasting: new Map(
      all.filter(([, { exposed }]) => exposed === true).map(([name, { path }]) => [name, path]),
    ),
  }
}

export const createOciRuntime = (options: OciRuntimeOptions): OciRuntime => {
  const { clock, nodeName, network, folder, cgroup, marker } = options
  const cgroups = createCgroups()
  // Before the first start: an orphan goes to whoever is the reaper when its parent ends.
  childReaper()
  const images = createImageStore(options.images)
  const register = createContainerRegister()
  const stateFolder = stateFolderOf(folder)
  const program = findExecutable('runc') ?? findExecutable('crun') ?? 'runc'
  const system = makeSystemLayers(folder, nodeName)
  mkdirSync(stateFolder, { recursive: true })
  const shared = { clock, cgroups, nodeName, folder, cgroup, marker }
  const launcher = createContainerLauncher({
    ...shared,
    system,
    program,
    stateFolder,
    sharedFolders: options.sharedFolders ?? (() => []),
  })
  const places = createPodPlaces({ ...shared, network, launcher, isKnown: register.knows })
  const access = createContainerAccess({
    register,
    network,
    clock,
    program,
    marker,
    runcRoot: stateFolder,
    folder,
    volumeFolders: (uid) => volumeFoldersOf(places.find(uid)),
  })
  /** Removals that nobody waits for but the end. */
  const chores = new Set<Promise<void>>()
  let watch: Timer

  const later = (chore: Promise<void>): void => {
    const done = chore.catch(() => {}).finally(() => chores.delete(done))
    chores.add(done)
  }

  const watchStarved = (): void => {
    for (const { containers } of places.all()) for (const one of containers) one.endIfStarved()
    watch = clock.after(STARVED_MS, watchStarved)
  }
  watch = clock.after(STARVED_MS, watchStarved)

  const remember = (container: OciContainer, { onExit }: StartContainer): void => {
    const obsolete = register.add(container)
    if (obsolete !== undefined) {
      const { podUid, attempt } = obsolete
      const logs = join(podFolder(folder, podUid), 'logs', obsolete.container.name, String(attempt))
      later(removeTree(logs))
    }
    container.ended.then((exit) => clock.defer(() => onExit(exit)))
    later(container.removed)
  }

  const start = async (request: StartContainer): Promise<RunningContainer> => {
    const { pod, container, attempt, environment } = request
    const place = places.find(pod.metadata.uid)
    if (place === undefined) throw new ContainerStartError('the pod has no sandbox', 'create')
    const name = container.image ?? ''
    const image = images.program(name)
    if (image === undefined)
      throw new ContainerStartError(`image "${fullImageName(name)}": not found`, 'create')
    const id = launcher.newId()
    const identity = { id: `containerd://${id}`, image: fullImageName(name), imageId: imageIdOf(name) }
    const namespace = openNamespaceToJoin(place, request)
    const processPath = namespace === undefined ? undefined : `/proc/${process.pid}/fd/${namespace}`
    const launch = { place, container, image, attempt, environment, processPath }
    try {
      remember(await launcher.launch(launch, id), request)
    } catch (error) {
      const { message, stage } = error as ContainerStartError
      throw new ContainerStartError(message, stage, stage === 'start' ? identity : undefined)
    } finally {
      if (namespace !== undefined) closeSync(namespace)
    }
    return identity
  }

  const close = async (): Promise<void> => {
    watch.cancel()
    access.close()
    const steps = [
      () => places.close(),
      () => Promise.all([...chores]),
      () => removeCgroup(cgroups, cgroup, clock),
      () => Promise.all(register.pods().map((uid) => removeFiles(folder, uid, { logs: true }))),
      () => Promise.all([nodeDisk(folder, nodeName), system.folder].map(removeTree)),
    ]
    const failures: unknown[] = []
    // What one of them cannot do is no reason to leave the rest.
    for (const step of steps) await step().catch((error) => failures.push(error))
    // Other nodes may still use them: only the last one finds them empty.
    for (const path of sharedFolders(folder)) await rmdir(path).catch(() => {})
    if (failures.length > 0) throw failures[0]
  }

  return {
    name: 'containerd',
    version: '1.7.24',
    processes: places.processes,
    statistics: createContainerStatistics(register),
    hasImage: images.has,
    images: images.all,

    pullImage(image, reply) {
      clock.after(PULL_MS, () => {
        try {
          reply({ ok: true, value: images.pull(image) })
        } catch (error) {
          reply({ ok: false, error: error as Error })
        }
      })
    },

    createSandbox: (pod, volumes, reply) => replyWith(clock, reply, places.create(pod, volumes)),

    refreshVolumes(sandbox, files, reply) {
      const place = places.bySandbox(sandbox)
      const refresh = async (): Promise<void> => {
        if (place !== undefined && !place.closing.signal.aborted)
          refreshFiles({ folder, pod: place.pod, now: clock.now() }, files)
      }
      replyWith(clock, reply, refresh())
    },

    removeSandbox: (sandbox, reply) => replyWith(clock, reply, places.remove(places.bySandbox(sandbox))),

    forgetPod(uid) {
      register.forget(uid)
      // A pod that is still being taken away takes its logs with it then.
      if (places.find(uid) === undefined) later(removeFiles(folder, uid, { logs: true }))
    },

    startContainer: (request, reply) => replyWith(clock, reply, start(request)),
    stopContainer: (id, graceMs) => register.byId(id)?.stop(graceMs),

    ...access,
    close,
  }
}
