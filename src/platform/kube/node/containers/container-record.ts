/** The state that a kubelet keeps for one container of a pod. */
import type {
  Container,
  ContainerStateTerminated,
  ContainerStateWaiting,
  Pod,
  PodSpec,
} from 'kubernetes-types/core/v1.d.ts'
import { isSidecar } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { RunningContainer } from '#platform/kube/ports'

export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

export interface ContainerRecord {
  spec: Container
  readonly role: ContainerRole
  /** The current phase of the container; `idle` before its start, between attempts and after its end. */
  activity: 'idle' | 'pulling' | 'starting' | 'running' | 'stopping'
  /** The reported reason why it is not running. */
  waiting?: ContainerStateWaiting | undefined
  /** The reason that replaces `waiting` at the next sync, as in the real kubelet. */
  nextWaiting?: ContainerStateWaiting | undefined
  startedAt?: number | undefined
  /** The exits of the last instance and of the one before it. */
  terminated?: ContainerStateTerminated | undefined
  previous?: ContainerStateTerminated | undefined
  /** The times of these exits. */
  finishedAt?: number | undefined
  previouslyFinishedAt?: number | undefined
  /** Whether the kubelet is stopping it in order to restart it. */
  restarting?: boolean
  /** Number of the current instance; -1 before the first. */
  attempt: number
  instance?: RunningContainer | undefined
  started: boolean
  ready: boolean
  stopProbes?: (() => void) | undefined
}

export const createRecord = (spec: Container, role: ContainerRole): ContainerRecord => ({
  spec,
  role,
  activity: 'idle',
  attempt: -1,
  started: false,
  ready: false,
})

/** All containers of a pod, in the order in which they are started. */
export const recordsOf = (spec: PodSpec): ContainerRecord[] => [
  ...(spec.initContainers ?? []).map((container) =>
    createRecord(container, isSidecar(container) ? 'sidecar' : 'init'),
  ),
  ...spec.containers.map((container) => createRecord(container, 'main')),
  ...(spec.ephemeralContainers ?? []).map((container) => createRecord(container as Container, 'ephemeral')),
]

/** The field path of a container in events, such as `spec.containers{web}`. */
export const fieldPathOf = (record: ContainerRecord): string => {
  const list =
    record.role === 'main'
      ? 'containers'
      : record.role === 'ephemeral'
        ? 'ephemeralContainers'
        : 'initContainers'
  return `spec.${list}{${record.spec.name}}`
}

/** The name of a pod in messages, such as `web-0_shop(4f1c...)`. */
export const podText = (pod: Stored<Pod>): string =>
  `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`

/** Whether a container that is not running must be started under the pod's restart policy. */
export const shouldRun = (record: ContainerRecord, policy: string | undefined): boolean => {
  if (record.activity !== 'idle') return false
  const exit = record.terminated
  if (exit === undefined) return true
  switch (record.role) {
    case 'sidecar':
      return true
    case 'ephemeral':
      return false
    case 'init':
      return exit.exitCode !== 0 && policy !== 'Never'
    case 'main':
      return policy === 'Always' || policy === undefined || (policy === 'OnFailure' && exit.exitCode !== 0)
  }
}
