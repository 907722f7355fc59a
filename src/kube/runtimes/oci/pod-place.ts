/** A pod's place on this machine: its network, its volumes, its files, and the containers that run there. */
import { join } from 'node:path'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { removeTree } from '../../../linux/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { Outcome, PodAttachment, PodNetwork, Reply, Sandbox } from '../../ports/index.ts'
import { podFolder, podMemoryFolder } from './cluster-folders.ts'
import type { OciContainer } from './oci-container.ts'
import type { ReadyVolume } from './pod-volumes.ts'

export interface PodPlace {
  readonly sandbox: Sandbox
  readonly pod: Stored<Pod>
  readonly attachment: PodAttachment
  readonly volumes: ReadonlyMap<string, ReadyVolume>
  /** Those that are not removed yet, the one that holds the pod's process namespace included. */
  readonly containers: Set<OciContainer>
  /** Starts under way. */
  readonly starts: Set<Promise<unknown>>
  /** Holds the process namespace that all its containers share. */
  holder: OciContainer | undefined
  /** Once aborted, nothing is started there any more. */
  readonly closing: AbortController
}

/** Turns an operation of a port that replies into one to wait for. */
const replied = <T>(operation: (reply: Reply<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    operation((outcome: Outcome<T>) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
  })

export const attachPod = (network: PodNetwork, pod: Stored<Pod>, nodeName: string): Promise<PodAttachment> =>
  replied((reply) => network.attachPod(pod, nodeName, reply))

export const detachPod = (network: PodNetwork, uid: string): Promise<void> =>
  replied((reply) => network.detachPod(uid, reply))

/** Ends what runs there, and what is still on its way. */
export const emptyPlace = async (place: PodPlace): Promise<void> => {
  place.closing.abort()
  for (const container of place.containers) container.stop(0)
  await Promise.allSettled(place.starts)
  for (const container of place.containers) container.stop(0)
  await Promise.all([...place.containers].map(({ removed }) => removed))
}

/** Removes the pod's files but its logs; those too where `logs` says so. */
export const removeFiles = async (
  folder: string,
  uid: string,
  { logs }: { logs: boolean },
): Promise<void> => {
  const onDisk = podFolder(folder, uid)
  for (const path of [logs ? onDisk : join(onDisk, 'volumes'), podMemoryFolder(folder, uid)])
    await removeTree(path)
}
