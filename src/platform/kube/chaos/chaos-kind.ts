/** The contract of a chaos kind: its API schema, its target selection and its faults. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { JsonSchema } from '#platform/kube/kinds'
import type { FieldError, Stored } from '#platform/kube/meta'
import type { Client, ContainerTarget, FaultTarget, PodFault } from '#platform/kube/ports'
import type { ChaosObject, ChaosRecord, ChaosSpec, ContainerChoice, PodSnapshot } from './chaos-object.ts'

/** One target selection of an object. */
export interface Selection {
  /** `.` or `.Target`. */
  key: string
  /** Whether each record is a pod or a container. */
  level: 'pod' | 'container'
  choice: ContainerChoice
}

/** A selected pod or container during an operation. */
export interface Injection {
  client: Client
  chaos: ChaosObject
  record: ChaosRecord
  records: readonly ChaosRecord[]
  pod: Stored<Pod>
  target: FaultTarget
  /** `container` is empty if records are pods. */
  containerTarget: ContainerTarget
}

/** An injection by API writes, which are synchronous. It is not recovered if the pod no longer exists. */
export interface ApiInjection {
  /** Returns the state that recovery needs; stored in the record before `apply`. */
  snapshot?(injection: Injection): PodSnapshot
  apply(injection: Injection): void
  recover(injection: Injection): void
}

export interface ChaosKind {
  /** A kind such as `StressChaos`; the plural is the same in lower case. */
  kind: string
  /** Whether `kubectl get` prints the action. */
  hasAction: boolean
  /** The schema of `spec`, without the field `duration`, which all kinds share. */
  properties: Readonly<Record<string, JsonSchema>>
  required: readonly string[]
  /** Validates what the schema cannot express; the spec has already passed the schema. */
  validate(spec: ChaosSpec): FieldError[]
  /** Whether the faults are applied once and never recovered. */
  isOneShot?(spec: ChaosSpec): boolean
  selections(spec: ChaosSpec): readonly Selection[]
  /** Returns the injection by API writes, if the spec needs no faults. */
  byApi?(spec: ChaosSpec): ApiInjection | undefined
  /** Returns the faults to inject. Throws if they cannot be injected now; the operation is retried. */
  faults(injection: Injection): readonly PodFault[]
}

export const defineChaosKind = (kind: ChaosKind): ChaosKind => kind

/** The single selection of most kinds. */
export const singleSelection =
  (level: Selection['level']) =>
  (spec: ChaosSpec): readonly Selection[] => [{ key: '.', level, choice: spec }]
