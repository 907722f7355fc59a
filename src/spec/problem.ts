/** A problem: a system, what is wrong with it, and what is asked of whoever is to mend it. */
import type { FaultShape, FaultTarget, ParameterValues } from './fault.ts'
import type { LoadProfile } from './workload.ts'

export const TASKS = [
  /** Is something wrong at all? */
  'detection',
  /** Which services are at fault, the likeliest first? */
  'localisation',
  /** In which layer, and of what type? */
  'analysis',
  /** Mend it, by whatever actions. */
  'mitigation',
  /** Mend it by a playbook, from a diagnosis report. */
  'remediation',
  /** All in order. */
  'end-to-end',
] as const
export type Task = (typeof TASKS)[number]

/** Those that ask for answers and not for deeds: whoever solves them may look and change nothing. */
export const isReadOnlyTask = (task: Task): boolean =>
  task === 'detection' || task === 'localisation' || task === 'analysis'

/**
 * What an agent is told: `label` the service and the category, as MicroRemed does; `symptoms` what telemetry shows, and no
 * answer; `none` nothing but that somebody complained.
 */
export type ReportKind = 'label' | 'symptoms' | 'none'

export interface PlannedFault {
  readonly fault: string
  readonly target: FaultTarget
  readonly params: ParameterValues
  readonly shape: FaultShape
  /** After the first one. */
  readonly afterMs?: number
}

export interface Budget {
  readonly steps: number
  readonly seconds: number
}

export interface Problem {
  /** The same for the same content, on every machine. */
  readonly id: string
  readonly system: string
  readonly task: Task
  /** None: a control, in which nothing is wrong. */
  readonly faults: readonly PlannedFault[]
  readonly report: ReportKind
  /** The system's brisk load where absent. */
  readonly load?: LoadProfile
  readonly budget: Budget
  readonly seed: string
}
