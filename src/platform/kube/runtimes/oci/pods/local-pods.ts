/** Creates and removes the local resources of a node's pods. */
import { join } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import type { Cgroups } from '#machine/linux'
import { removeCgroup } from '#machine/oci'
import type { Stored } from '#platform/kube/meta'
import type { PodNetwork, PodProcesses, PodProcessView, PodVolumes, Sandbox } from '#platform/kube/ports'
import type { ContainerLauncher } from '../containers/container-launcher.ts'
import { pauseProgram } from '../containers/pause-program.ts'
import { setUpVolumes } from '../volumes/pod-volumes.ts'
import { podMemoryFolder } from './cluster-folders.ts'
import { attachPod, detachPod, type LocalPod, removeFiles, stopContainers } from './local-pod.ts'
import { writePodEtc } from './pod-etc.ts'

export interface LocalPodsOptions {
  clock: Clock
  cgroups: Cgroups
  network: PodNetwork
  nodeName: string
  /** The folder of the cluster. */
  folder: string
  /** The control group of the node. */
  cgroup: string
  launcher: ContainerLauncher
  /** Whether the pod's logs can still be read. */
  isKnown(uid: string): boolean
}

export interface LocalPods {
  readonly processes: PodProcesses
  find(uid: string): LocalPod | undefined
  bySandbox(sandbox: Sandbox): LocalPod | undefined
  all(): readonly LocalPod[]
  /** Rejects once the node is closing. */
  create(pod: Stored<Pod>, volumes: PodVolumes): Promise<Sandbox>
  /** Keeps the logs if they can still be read. Does nothing if `localPod` is undefined. */
  remove(localPod: LocalPod | undefined): Promise<void>
  /** Removes all pods, including those that are still being created. */
  close(): Promise<void>
}

/** Holds the process namespace of a pod; `POD` is not a valid container name in a pod spec. */
const HOLDER: Container = { name: 'POD', image: 'pause' }

const startHolder = async (launcher: ContainerLauncher, localPod: LocalPod): Promise<void> => {
  const request = { localPod, container: HOLDER, image: pauseProgram(), attempt: 0 }
  const id = launcher.newId()
  localPod.holder = await launcher.launch({ ...request, environment: {}, processPath: undefined }, id)
}

/** The view of a pod's processes without the holder of its process namespace. */
const processesOf = (
  { pod, attachment, containers, holder }: LocalPod,
  nodeName: string,
): PodProcessView => ({
  uid: pod.metadata.uid,
  nodeName,
  ip: attachment.ip,
  networkNamespacePath: attachment.namespacePath,
  containers: [...containers].flatMap((container) =>
    container.pid === undefined || container === holder
      ? []
      : [{ name: container.container.name, id: container.id, pid: container.pid, cgroup: container.cgroup }],
  ),
})

const createPodProcesses = (
  localPods: ReadonlyMap<string, LocalPod>,
  listeners: Set<(uid: string) => void>,
  nodeName: string,
): PodProcesses => ({
  find(uid) {
    const localPod = localPods.get(uid)
    return localPod === undefined ? undefined : processesOf(localPod, nodeName)
  },
  onRemoval(listener) {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
})

export const createLocalPods = (options: LocalPodsOptions): LocalPods => {
  const { clock, cgroups, network, nodeName, folder, cgroup, launcher, isKnown } = options
  const localPods = new Map<string, LocalPod>()
  const removals = new Map<LocalPod, Promise<void>>()
  const creations = new Set<Promise<unknown>>()
  const listeners = new Set<(uid: string) => void>()
  let closed = false

  const create = async (pod: Stored<Pod>, volumes: PodVolumes): Promise<Sandbox> => {
    if (closed) throw new Error('the node is shutting down')
    const { uid } = pod.metadata
    // A restarted kubelet does not know the resources that its predecessor created.
    await remove(localPods.get(uid))
    const readyVolumes = setUpVolumes({ folder, nodeName, pod, volumes, now: clock.now() })
    const attachment = await attachPod(network, pod, nodeName)
    const localPod: LocalPod = {
      pod,
      attachment,
      volumes: readyVolumes,
      holder: undefined,
      closing: new AbortController(),
      sandbox: { id: launcher.newId(), ip: attachment.ip },
      containers: new Set(),
      starts: new Set(),
    }
    localPods.set(uid, localPod)
    try {
      writePodEtc(join(podMemoryFolder(folder, uid), 'etc'), pod, attachment)
      if (pod.spec.shareProcessNamespace === true) await startHolder(launcher, localPod)
    } catch (error) {
      await remove(localPod)
      throw error
    }
    return localPod.sandbox
  }

  const removePod = async (localPod: LocalPod): Promise<void> => {
    const { uid } = localPod.pod.metadata
    for (const listener of listeners) listener(uid)
    await stopContainers(localPod)
    await detachPod(network, uid)
    await removeCgroup(cgroups, `${cgroup}/${uid}`, clock)
    localPods.delete(uid)
    await removeFiles(folder, uid, { logs: !isKnown(uid) })
  }

  const remove = async (localPod: LocalPod | undefined): Promise<void> => {
    if (localPod === undefined) return
    const removal = removals.get(localPod) ?? removePod(localPod)
    removals.set(localPod, removal)
    await removal.finally(() => removals.delete(localPod))
  }

  const processes = createPodProcesses(localPods, listeners, nodeName)

  return {
    processes,
    find: (uid) => localPods.get(uid),
    bySandbox: ({ id }) => [...localPods.values()].find(({ sandbox }) => sandbox.id === id),
    all: () => [...localPods.values()],
    create(pod, volumes) {
      const creation = create(pod, volumes)
      creations.add(creation)
      creation.catch(() => {}).finally(() => creations.delete(creation))
      return creation
    },
    remove,
    async close() {
      closed = true
      await Promise.allSettled([...localPods.values()].map(remove))
      await Promise.allSettled(creations)
      // Removes the pods that were being created, and retries the removals that failed.
      const outcomes = await Promise.allSettled([...localPods.values()].map(remove))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
  }
}
