/** A container runtime of real processes, started by an OCI runtime program and reaped by this process. */
import { mkdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { type Clock, findExecutable, type Timer } from '#kit'
import { childReaper, createCgroups, removeTree } from '#machine/linux'
import { createSystemLayers, removeCgroup } from '#machine/oci'
import { createImageStore } from '#platform/kube/containers'
import type { Reply } from '#platform/kube/ports'
import { createContainerAccess } from './access/container-access.ts'
import { createContainerLauncher } from './containers/container-launcher.ts'
import { createContainerRegister } from './containers/container-register.ts'
import { createContainerStarter } from './containers/container-starter.ts'
import type { OciRuntime, OciRuntimeOptions } from './oci-runtime-options.ts'
import { nodeDisk, sharedFolders, stateFolderOf } from './pods/cluster-folders.ts'
import type { LocalPod } from './pods/local-pod.ts'
import { removeFiles } from './pods/local-pod.ts'
import { createLocalPods } from './pods/local-pods.ts'
import { createPendingRemovals } from './pods/pending-removals.ts'
import { createContainerStatistics } from './statistics/container-statistics.ts'
import type { VolumeFolders } from './statistics/disk-usage.ts'
import { refreshFiles } from './volumes/pod-volumes.ts'

const PULL_MS = 5
/** How often containers are checked for processes that the kernel killed for lack of memory. */
const OOM_POLL_MS = 500

/** Replies with the outcome of the promise, deferred so that an error thrown by `reply` rejects no promise. */
const replyWith = <T>(clock: Clock, reply: Reply<T>, promise: Promise<T>): void => {
  promise.then(
    (value) => clock.defer(() => reply({ ok: true, value })),
    (error: Error) => clock.defer(() => reply({ ok: false, error })),
  )
}

const volumeFoldersOf = (localPod: LocalPod | undefined): VolumeFolders => {
  const emptyDirNames = new Set(
    (localPod?.pod.spec.volumes ?? [])
      .filter(({ emptyDir }) => emptyDir !== undefined)
      .map(({ name }) => name),
  )
  const all = [...(localPod?.volumes ?? [])]
  return {
    emptyDirs: new Map(
      all.filter(([name]) => emptyDirNames.has(name)).map(([name, { path }]) => [name, path]),
    ),
    persistent: new Map(
      all.filter(([, { exposed }]) => exposed === true).map(([name, { path }]) => [name, path]),
    ),
  }
}

/** Runs all steps in order, even after failures, and then rejects with the first error. */
const runAll = async (steps: readonly (() => Promise<unknown>)[]): Promise<void> => {
  const failures: unknown[] = []
  for (const step of steps) await step().catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** Other nodes may still use the folders: only the last node finds them empty. */
const removeEmptyFolders = async (folders: readonly string[]): Promise<void> => {
  for (const path of folders) await rmdir(path).catch(() => {})
}

const createRuntimeParts = (options: OciRuntimeOptions) => {
  const { clock, nodeName, network, folder, cgroup, marker } = options
  const cgroups = createCgroups()
  // The reaper must exist before the first start: an orphan goes to the subreaper that exists at that moment.
  childReaper()
  const images = createImageStore(options.images)
  const register = createContainerRegister()
  const stateFolder = stateFolderOf(folder)
  const program = findExecutable('runc') ?? findExecutable('crun') ?? 'runc'
  const system = createSystemLayers(folder, nodeName)
  mkdirSync(stateFolder, { recursive: true })
  const shared = { clock, cgroups, nodeName, folder, cgroup, marker }
  const launcher = createContainerLauncher({
    ...shared,
    system,
    program,
    stateFolder,
    sharedFolders: options.sharedFolders ?? (() => []),
  })
  const localPods = createLocalPods({ ...shared, network, launcher, isKnown: register.has })
  const access = createContainerAccess({
    register,
    network,
    clock,
    program,
    marker,
    runcRoot: stateFolder,
    folder,
    volumeFolders: (uid) => volumeFoldersOf(localPods.find(uid)),
  })
  const removals = createPendingRemovals()
  const startContainer = createContainerStarter({
    clock,
    folder,
    images,
    register,
    localPods,
    launcher,
    removals,
  })
  return { cgroups, images, register, system, localPods, access, removals, startContainer }
}

export const createOciRuntime = (options: OciRuntimeOptions): OciRuntime => {
  const { clock, nodeName, folder, cgroup } = options
  const { cgroups, images, register, system, localPods, access, removals, startContainer } =
    createRuntimeParts(options)

  let oomTimer: Timer
  const pollOom = (): void => {
    for (const { containers } of localPods.all())
      for (const container of containers) container.killIfOutOfMemory()
    oomTimer = clock.after(OOM_POLL_MS, pollOom)
  }
  oomTimer = clock.after(OOM_POLL_MS, pollOom)

  return {
    name: 'containerd',
    version: '1.7.24',
    processes: localPods.processes,
    statistics: createContainerStatistics(register),
    hasImage: images.has,
    images: images.all,
    retainImages: images.retain,

    pullImage(image, reply) {
      clock.after(PULL_MS, () => {
        try {
          reply({ ok: true, value: images.pull(image) })
        } catch (error) {
          reply({ ok: false, error: error as Error })
        }
      })
    },

    createSandbox: (pod, volumes, reply) => replyWith(clock, reply, localPods.create(pod, volumes)),

    refreshVolumes(sandbox, files, reply) {
      const localPod = localPods.bySandbox(sandbox)
      const refresh = async (): Promise<void> => {
        if (localPod !== undefined && !localPod.closing.signal.aborted)
          refreshFiles({ folder, pod: localPod.pod, now: clock.now() }, files)
      }
      replyWith(clock, reply, refresh())
    },

    removeSandbox: (sandbox, reply) =>
      replyWith(clock, reply, localPods.remove(localPods.bySandbox(sandbox))),

    forgetPod(uid) {
      register.forget(uid)
      // The logs of a pod that is still being removed are removed with it.
      if (localPods.find(uid) === undefined) removals.add(removeFiles(folder, uid, { logs: true }))
    },

    startContainer: (request, reply) => replyWith(clock, reply, startContainer(request)),
    stopContainer: (id, graceMs) => register.byId(id)?.stop(graceMs),

    ...access,
    async close() {
      oomTimer.cancel()
      access.close()
      await runAll([
        () => localPods.close(),
        () => removals.settled(),
        () => removeCgroup(cgroups, cgroup, clock),
        () => Promise.all(register.pods().map((uid) => removeFiles(folder, uid, { logs: true }))),
        () => Promise.all([nodeDisk(folder, nodeName), system.folder].map(removeTree)),
        () => removeEmptyFolders(sharedFolders(folder)),
      ])
    },
  }
}
