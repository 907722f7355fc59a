/** Makes the places of a node's pods and takes them away again. */
import { join } from 'node:path'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../kit/index.ts'
import type { Cgroups } from '../../../linux/index.ts'
import { removeCgroup } from '../../../oci/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { PodNetwork, PodProcesses, PodVolumes, Sandbox } from '../../ports/index.ts'
import { pauseProgram } from './bare-program.ts'
import { podMemoryFolder } from './cluster-folders.ts'
import type { ContainerLauncher } from './container-launcher.ts'
import { writePodEtc } from './pod-etc.ts'
import { attachPod, detachPod, emptyPlace, type PodPlace, removeFiles } from './pod-place.ts'
import { setUpVolumes } from './pod-volumes.ts'

export interface PodPlacesOptions {
  clock: Clock
  cgroups: Cgroups
  network: PodNetwork
  nodeName: string
  /** Of the cluster. */
  folder: string
  /** Of the node. */
  cgroup: string
  launcher: ContainerLauncher
  /** Whether the pod's logs are still of use to somebody. */
  isKnown(uid: string): boolean
}

export interface PodPlaces {
  readonly processes: PodProcesses
  find(uid: string): PodPlace | undefined
  bySandbox(sandbox: Sandbox): PodPlace | undefined
  all(): readonly PodPlace[]
  /** Rejects once the node is closing. */
  create(pod: Stored<Pod>, volumes: PodVolumes): Promise<Sandbox>
  /** Leaves the logs. Resolves, too, where there is nothing. */
  remove(place: PodPlace | undefined): Promise<void>
  /** Removes all, those that are still being made too. */
  close(): Promise<void>
}

/** Keeps the process namespace of a pod; no pod can give this name to a container of its own. */
const HOLDER: Container = { name: 'POD', image: 'pause' }

export const createPodPlaces = (options: PodPlacesOptions): PodPlaces => {
  const { clock, cgroups, network, nodeName, folder, cgroup, launcher, isKnown } = options
  const places = new Map<string, PodPlace>()
  const removals = new Map<PodPlace, Promise<void>>()
  const creations = new Set<Promise<unknown>>()
  const listeners = new Set<(uid: string) => void>()
  let closed = false

  const startHolder = async (place: PodPlace): Promise<void> => {
    const request = { place, container: HOLDER, image: pauseProgram(), attempt: 0 }
    const id = launcher.newId()
    place.holder = await launcher.launch({ ...request, environment: {}, processPath: undefined }, id)
  }

  const create = async (pod: Stored<Pod>, volumes: PodVolumes): Promise<Sandbox> => {
    if (closed) throw new Error('the node is shutting down')
    const { uid } = pod.metadata
    // A kubelet that has come back knows nothing of the place that the one before it made.
    await remove(places.get(uid))
    const ready = setUpVolumes({ folder, nodeName, pod, volumes, now: clock.now() })
    const attachment = await attachPod(network, pod, nodeName)
    const place: PodPlace = {
      pod,
      attachment,
      volumes: ready,
      holder: undefined,
      closing: new AbortController(),
      sandbox: { id: launcher.newId(), ip: attachment.ip },
      containers: new Set(),
      starts: new Set(),
    }
    places.set(uid, place)
    try {
      writePodEtc(join(podMemoryFolder(folder, uid), 'etc'), pod, attachment)
      if (pod.spec.shareProcessNamespace === true) await startHolder(place)
    } catch (error) {
      await remove(place)
      throw error
    }
    return place.sandbox
  }

  const takeAway = async (place: PodPlace): Promise<void> => {
    const { uid } = place.pod.metadata
    for (const listener of listeners) listener(uid)
    await emptyPlace(place)
    await detachPod(network, uid)
    await removeCgroup(cgroups, `${cgroup}/${uid}`, clock)
    places.delete(uid)
    await removeFiles(folder, uid, { logs: !isKnown(uid) })
  }

  const remove = async (place: PodPlace | undefined): Promise<void> => {
    if (place === undefined) return
    const removal = removals.get(place) ?? takeAway(place)
    removals.set(place, removal)
    await removal.finally(() => removals.delete(place))
  }

  const processes: PodProcesses = {
    find(uid) {
      const place = places.get(uid)
      if (place === undefined) return undefined
      const { attachment, containers, holder } = place
      return {
        uid,
        nodeName,
        ip: attachment.ip,
        networkNamespacePath: attachment.namespacePath,
        containers: [...containers].flatMap((one) =>
          one.pid === undefined || one === holder
            ? []
            : [{ name: one.container.name, id: one.id, pid: one.pid, cgroup: one.cgroup }],
        ),
      }
    },
    onRemoval(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }

  return {
    processes,
    find: (uid) => places.get(uid),
    bySandbox: ({ id }) => [...places.values()].find(({ sandbox }) => sandbox.id === id),
    all: () => [...places.values()],
    create(pod, volumes) {
      const creation = create(pod, volumes)
      creations.add(creation)
      creation.catch(() => {}).finally(() => creations.delete(creation))
      return creation
    },
    remove,
    async close() {
      closed = true
      await Promise.allSettled([...places.values()].map(remove))
      await Promise.allSettled(creations)
      // Those that were just made, and once more those that would not go.
      const outcomes = await Promise.allSettled([...places.values()].map(remove))
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
  }
}
