/** One container of a pod as its kubelet remembers it. */
import type {
  Container,
  ContainerStateTerminated,
  ContainerStateWaiting,
  Pod,
  PodSpec,
} from 'kubernetes-types/core/v1.d.ts'
import { isSidecar } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { RunningContainer } from '../ports/index.ts'

export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

export interface ContainerRecord {
  spec: Container
  readonly role: ContainerRole
  /** What the kubelet has under way for it; `idle` is also a container that has ended. */
  activity: 'idle' | 'pulling' | 'starting' | 'running' | 'stopping'
  /** Why it does not run, as shown; `cached` becomes shown with the next sync, as in the real kubelet. */
  waiting?: ContainerStateWaiting | undefined
  cached?: ContainerStateWaiting | undefined
  startedAt?: number | undefined
  /** How the last instance ended, and the one before it. */
  terminated?: ContainerStateTerminated | undefined
  previous?: ContainerStateTerminated | undefined
  /** When they ended. */
  finishedAt?: number | undefined
  previouslyFinishedAt?: number | undefined
  /** The kubelet itself is ending it, in order to start it again. */
  restarting?: boolean
  /** Number of the present instance; -1 before the first. */
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

/** All containers of a pod, in the order in which they are dealt with. */
export const recordsOf = (spec: PodSpec): ContainerRecord[] => [
  ...(spec.initContainers ?? []).map((one) => createRecord(one, isSidecar(one) ? 'sidecar' : 'init')),
  ...spec.containers.map((one) => createRecord(one, 'main')),
  ...(spec.ephemeralContainers ?? []).map((one) => createRecord(one as Container, 'ephemeral')),
]

/** `spec.containers{web}`: how events name a container. */
export const fieldPathOf = (record: ContainerRecord): string => {
  const list =
    record.role === 'main'
      ? 'containers'
      : record.role === 'ephemeral'
        ? 'ephemeralContainers'
        : 'initContainers'
  return `spec.${list}{${record.spec.name}}`
}

/** `web-0_shop(4f1c...)`: how messages name a pod. */
export const podText = (pod: Stored<Pod>): string =>
  `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`

/** Whether an ended (or never started) container is to be started, given the pod's policy. */
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
