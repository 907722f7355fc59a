/** A problem: a system, its faults, and the task of the solver. */
import type { Budget } from './budget.ts'
import type { FaultShape, FaultTarget, ParameterValues } from './fault.ts'
import type { ReportKind } from './report-kind.ts'
import type { Task } from './tasks/index.ts'
import type { LoadProfile } from './workload.ts'

export interface PlannedFault {
  readonly fault: string
  readonly target: FaultTarget
  readonly params: ParameterValues
  readonly shape: FaultShape
  /** Milliseconds after the first fault. */
  readonly afterMs?: number
}

export interface Problem {
  /** Derived from the content, so that it is the same on every machine. */
  readonly id: string
  readonly system: string
  readonly task: Task
  /** Empty for a control. */
  readonly faults: readonly PlannedFault[]
  readonly report: ReportKind
  /** The system's `brisk` load by default. */
  readonly load?: LoadProfile
  readonly budget: Budget
  readonly seed: string
}
