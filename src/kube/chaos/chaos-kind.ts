/** What a kind of chaos is: how it looks in the API, whom it chooses, and what it does to each of them. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { JsonSchema } from '../kinds/index.ts'
import type { FieldError, Stored } from '../meta/index.ts'
import type { Client, ContainerTarget, FaultTarget, PodFault } from '../ports/index.ts'
import type { ChaosObject, ChaosRecord, ChaosSpec, ContainerChoice, PodBefore } from './chaos-object.ts'

/** One of the choices that an object makes. */
export interface Selection {
  /** `.` or `.Target`. */
  key: string
  /** Whether each record is a pod or a container of it. */
  level: 'pod' | 'container'
  choice: ContainerChoice
}

/** One chosen pod or container at the moment when something is done to it. */
export interface Injection {
  client: Client
  chaos: ChaosObject
  record: ChaosRecord
  records: readonly ChaosRecord[]
  pod: Stored<Pod>
  target: FaultTarget
  /** Its `container` is empty where records are pods. */
  containerTarget: ContainerTarget
}

/** Done by writing API objects: at once, and undone the same way. Nothing to undo where the pod is gone. */
export interface ApiInjection {
  /** What the recovery has to know; the record has it before anything is done. */
  remember?(injection: Injection): PodBefore
  apply(injection: Injection): void
  recover(injection: Injection): void
}

export interface ChaosKind {
  /** `StressChaos`; the plural is the same in small letters. */
  kind: string
  /** Whether `kubectl get` shows the action. */
  hasAction: boolean
  /** The schema of `spec`, without what all kinds have. */
  properties: Readonly<Record<string, JsonSchema>>
  required: readonly string[]
  /** What a schema cannot say. The spec has passed the schema. */
  validate(spec: ChaosSpec): FieldError[]
  /** Done once and never undone. */
  isOneShot?(spec: ChaosSpec): boolean
  selections(spec: ChaosSpec): readonly Selection[]
  /** How it is done, where it is but a matter of API objects. */
  byApi?(spec: ChaosSpec): ApiInjection | undefined
  /** What is done otherwise. Throws a sentence where it cannot be done now; it will be tried again. */
  faults(injection: Injection): readonly PodFault[]
}

export const defineChaosKind = (kind: ChaosKind): ChaosKind => kind

/** The one choice that most kinds make. */
export const ownSelection =
  (level: Selection['level']) =>
  (spec: ChaosSpec): readonly Selection[] => [{ key: '.', level, choice: spec }]
