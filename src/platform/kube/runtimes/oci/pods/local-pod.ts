/** The resources of a pod on this machine: network, volumes, files and containers. */
import { join } from 'node:path'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { removeTree } from '#machine/linux'
import type { Stored } from '#platform/kube/meta'
import type { Outcome, PodAttachment, PodNetwork, Reply, Sandbox } from '#platform/kube/ports'
import type { OciContainer } from '../containers/oci-container.ts'
import type { ReadyVolume } from '../volumes/pod-volumes.ts'
import { podFolder, podMemoryFolder } from './cluster-folders.ts'

export interface LocalPod {
  readonly sandbox: Sandbox
  readonly pod: Stored<Pod>
  readonly attachment: PodAttachment
  readonly volumes: ReadonlyMap<string, ReadyVolume>
  /** All containers not yet removed, including the holder of the process namespace. */
  readonly containers: Set<OciContainer>
  /** Starts in progress. */
  readonly starts: Set<Promise<unknown>>
  /** Holds the process namespace that all its containers share. */
  holder: OciContainer | undefined
  /** Once it is aborted, no further container is started. */
  readonly closing: AbortController
}

/** Converts an operation with a reply callback to a promise. */
const toPromise = <T>(operation: (reply: Reply<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    operation((outcome: Outcome<T>) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
  })

export const attachPod = (network: PodNetwork, pod: Stored<Pod>, nodeName: string): Promise<PodAttachment> =>
  toPromise((reply) => network.attachPod(pod, nodeName, reply))

export const detachPod = (network: PodNetwork, uid: string): Promise<void> =>
  toPromise((reply) => network.detachPod(uid, reply))

/** Stops all containers of the pod, including those that are starting. */
export const stopContainers = async (localPod: LocalPod): Promise<void> => {
  localPod.closing.abort()
  for (const container of localPod.containers) container.stop(0)
  await Promise.allSettled(localPod.starts)
  for (const container of localPod.containers) container.stop(0)
  await Promise.all([...localPod.containers].map(({ removed }) => removed))
}

/** Removes the files of the pod; its logs only if `logs` is set. */
export const removeFiles = async (
  folder: string,
  uid: string,
  { logs }: { logs: boolean },
): Promise<void> => {
  const onDisk = podFolder(folder, uid)
  for (const path of [logs ? onDisk : join(onDisk, 'volumes'), podMemoryFolder(folder, uid)])
    await removeTree(path)
}
