/** The types of stored chaos objects that all kinds share. */
import type { KubeObject } from '#platform/kube/meta'

export const CHAOS_GROUP = 'chaos-mesh.org'
export const CHAOS_VERSION = 'v1alpha1'

export type SelectorMode = 'one' | 'all' | 'fixed' | 'fixed-percent' | 'random-max-percent'

/** Selects pods; all conditions must match. */
export interface PodSelector {
  namespaces?: readonly string[]
  labelSelectors?: Readonly<Record<string, string>>
  expressionSelectors?: readonly { key: string; operator: string; values?: string[] }[]
  annotationSelectors?: Readonly<Record<string, string>>
  fieldSelectors?: Readonly<Record<string, string>>
  podPhaseSelectors?: readonly string[]
  /** Pod names by namespace; the other conditions are ignored if it is set. */
  pods?: Readonly<Record<string, readonly string[]>>
  nodes?: readonly string[]
  nodeSelectors?: Readonly<Record<string, string>>
}

export interface PodChoice {
  selector: PodSelector
  mode: SelectorMode
  value?: string
}

export interface ContainerChoice extends PodChoice {
  /** The first container of each pod by default. */
  containerNames?: readonly string[]
}

export interface ChaosSpec extends ContainerChoice {
  duration?: string
  [field: string]: any
}

export type RecordPhase = 'Injected' | 'Not Injected'
export type RecordOperation = 'Apply' | 'Recover'

export interface RecordEvent {
  type: 'Succeeded' | 'Failed'
  operation: RecordOperation
  message?: string
  timestamp: string
}

/** The state of a pod before an injection by API writes. */
export interface PodSnapshot {
  uid: string
  /** Images by container name, including init containers. */
  images: Readonly<Record<string, string>>
}

/** The state of one selected pod or container. */
export interface ChaosRecord {
  /** `namespace/pod` or `namespace/pod/container`. */
  id: string
  /** The selection that found it: `.`, or `.Target` for the target of a NetworkChaos. */
  selectorKey: string
  phase: RecordPhase
  injectedCount: number
  recoveredCount: number
  /** State for the recovery. Chaos Mesh stores it in annotations of the pod, where agents would read it. */
  before?: PodSnapshot
  events?: readonly RecordEvent[]
}

export interface ChaosCondition {
  type: 'Selected' | 'AllInjected' | 'AllRecovered' | 'Paused'
  status: 'True' | 'False'
  reason: string
}

export interface ChaosStatus {
  conditions?: readonly ChaosCondition[]
  experiment: { desiredPhase?: 'Run' | 'Stop'; containerRecords?: readonly ChaosRecord[] }
}

export interface ChaosObject extends KubeObject {
  spec: ChaosSpec
  /** Undefined until the first reconcile. */
  status?: ChaosStatus
}
