/** Pods that preemption has nominated to a node, and that wait for the victims on it to terminate. */
import type { PodInfo } from './pod-info.ts'

export interface Nominations {
  set(info: PodInfo): void
  delete(uid: string): void
  all(): readonly PodInfo[]
  /** Returns the pods nominated to this node with at least the priority of the given pod. */
  competing(nodeName: string, pod: PodInfo): readonly PodInfo[]
}

const NONE: readonly PodInfo[] = []

export const createNominations = (): Nominations => {
  const nominated = new Map<string, PodInfo>()
  return {
    set: (info) => {
      nominated.set(info.pod.metadata.uid, info)
    },
    delete: (uid) => {
      nominated.delete(uid)
    },
    all: () => [...nominated.values()],
    competing: (nodeName, { pod, priority }) =>
      nominated.size === 0
        ? NONE
        : [...nominated.values()].filter(
            (candidate) =>
              candidate.pod.status.nominatedNodeName === nodeName &&
              candidate.priority >= priority &&
              candidate.pod.metadata.uid !== pod.metadata.uid,
          ),
  }
}
