/** Pods that were promised a node, and wait for others to leave it. */
import type { PodInfo } from './pod-info.ts'

export interface Nominations {
  set(info: PodInfo): void
  delete(uid: string): void
  all(): readonly PodInfo[]
  /** The pods promised this node that the given one may not crowd out. */
  ahead(nodeName: string, pod: PodInfo): readonly PodInfo[]
}

const NOBODY: readonly PodInfo[] = []

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
    ahead: (nodeName, { pod, priority }) =>
      nominated.size === 0
        ? NOBODY
        : [...nominated.values()].filter(
            (other) =>
              other.pod.status.nominatedNodeName === nodeName &&
              other.priority >= priority &&
              other.pod.metadata.uid !== pod.metadata.uid,
          ),
  }
}
