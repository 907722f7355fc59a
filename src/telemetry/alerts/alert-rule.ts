/** What a rule of alerts is: a value that says, whenever it is asked, what does not hold just now. */
import type { Alert } from '../../spec/index.ts'
import type { PodVolume } from '../collect/measure-volumes.ts'
import type { PodState } from '../collect/pod-index.ts'
import type { OutcomeWindow } from './outcome-window.ts'

/** Of a container, over the last half minute. */
export interface ContainerLoad {
  readonly pod: PodState
  readonly container: string
  readonly memory: number
  readonly memoryLimit?: number
  /** Since when the memory is above nine tenths of the limit. */
  readonly memoryHighSince?: number
  readonly periods: number
  readonly throttledPeriods: number
}

export interface NodeState {
  readonly name: string
  readonly ready: boolean
  readonly since: number
}

export interface WorkloadState {
  readonly title: string
  readonly service: string
  readonly wanted: number
  readonly available: number
  /** Since when fewer are available than wanted. */
  readonly missingSince?: number
}

/** What rules look at: kept up to date as signals come, so that asking costs nothing. */
export interface AlertView {
  readonly now: number
  /** When the rules began to look; what was before does not count. */
  readonly began: number
  /** Walks of journeys, by name. */
  readonly journeys: ReadonlyMap<string, OutcomeWindow>
  /** Requests served, by service. */
  readonly services: ReadonlyMap<string, OutcomeWindow>
  readonly pods: Iterable<PodState>
  readonly containers: Iterable<ContainerLoad>
  /** As they were last measured. */
  readonly volumes: Iterable<PodVolume>
  readonly nodes: Iterable<NodeState>
  readonly workloads: Iterable<WorkloadState>
  /** How many restarts the containers of a pod had within this time. */
  restartsWithin(podUid: string, milliseconds: number): number
}

export interface AlertFinding {
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
}

export interface AlertRule {
  readonly name: string
  readonly severity: Alert['severity']
  /** One for each thing that is amiss now; labels tell them apart. */
  find(view: AlertView): Iterable<AlertFinding>
}

/** Declares a rule; the file has its name. */
export const defineAlertRule = (rule: AlertRule): AlertRule => rule
