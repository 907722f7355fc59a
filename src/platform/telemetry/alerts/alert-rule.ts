/** Defines alert rules and their input. A rule lists the current findings each time it is evaluated. */
import type { Alert } from '#spec'
import type { PodVolume } from '../collect/measure-volumes.ts'
import type { PodState } from '../collect/pod-index.ts'
import type { OutcomeWindow } from './outcome-window.ts'

/** The load of a container over the last half minute. Memory is in bytes. */
export interface ContainerLoad {
  readonly pod: PodState
  readonly container: string
  readonly memory: number
  readonly memoryLimit?: number
  /** The time since which the memory exceeds 90 % of the limit; absent if it does not. */
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
  readonly desired: number
  readonly available: number
  /** The time since which fewer pods are available than desired; absent if none is missing. */
  readonly missingSince?: number
}

/**
 * The input of alert rules. It is updated as signals arrive, and omits healthy parts, so that evaluation is cheap: a
 * system without problems costs almost nothing.
 */
export interface AlertView {
  readonly now: number
  /** When evaluation started; earlier states do not count. */
  readonly startedAt: number
  /** Journeys with runs that failed or were slow in the last two minutes, by name. */
  readonly journeys: Iterable<readonly [string, OutcomeWindow]>
  /** Services with requests that failed or were slow in the last two minutes, by name. */
  readonly services: Iterable<readonly [string, OutcomeWindow]>
  /** Pods that are not ready or not scheduled, or with containers that wait, have failed or were restarted. */
  readonly pods: Iterable<PodState>
  /** Containers that use more than 90 % of their memory limit, or were throttled. */
  readonly containers: Iterable<ContainerLoad>
  /** The latest measurement of all volumes. */
  readonly volumes: Iterable<PodVolume>
  /** Nodes that are not ready. */
  readonly nodes: Iterable<NodeState>
  /** Workloads with fewer available pods than desired. */
  readonly workloads: Iterable<WorkloadState>
  /** Number of container restarts of a pod within the last `milliseconds`. */
  restartsWithin(podUid: string, milliseconds: number): number
}

export interface AlertFinding {
  readonly labels: Readonly<Record<string, string>>
  readonly summary: string
}

export interface AlertRule {
  readonly name: string
  readonly severity: Alert['severity']
  /** Yields one finding for each current problem. Labels must identify the finding. */
  find(view: AlertView): Iterable<AlertFinding>
}

/** Declares an alert rule. The file is named after the rule. */
export const defineAlertRule = (rule: AlertRule): AlertRule => rule
