/** Chaos objects as they are stored: what all kinds have in common. */
import type { KubeObject } from '../meta/index.ts'

export const CHAOS_GROUP = 'chaos-mesh.org'
export const CHAOS_VERSION = 'v1alpha1'

export type SelectorMode = 'one' | 'all' | 'fixed' | 'fixed-percent' | 'random-max-percent'

/** Which pods; all that is said must hold. */
export interface PodSelector {
  namespaces?: readonly string[]
  labelSelectors?: Readonly<Record<string, string>>
  expressionSelectors?: readonly { key: string; operator: string; values?: string[] }[]
  annotationSelectors?: Readonly<Record<string, string>>
  fieldSelectors?: Readonly<Record<string, string>>
  podPhaseSelectors?: readonly string[]
  /** Names by namespace: nothing else counts then. */
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
  /** The first container of each pod where none is named. */
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

/** A pod as it was before something was done to it by the API. */
export interface PodBefore {
  uid: string
  /** By the name of the container, those that only begin the pod included. */
  images: Readonly<Record<string, string>>
}

/** What became of one pod or container. */
export interface ChaosRecord {
  /** `namespace/pod` or `namespace/pod/container`. */
  id: string
  /** Which selector found it: `.`, or `.Target` for the far end of a NetworkChaos. */
  selectorKey: string
  phase: RecordPhase
  injectedCount: number
  recoveredCount: number
  /** For the recovery, where that needs it. Chaos Mesh writes it onto the pod, where agents would read it. */
  before?: PodBefore
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
  /** Absent until the controller has seen the object. */
  status?: ChaosStatus
}
