/** The contract of a task: its goal, its questions, and the defaults of its problems. */
import type { Budget } from '../budget.ts'
import type { ReportKind } from '../report-kind.ts'
import type { Question } from './all-questions.ts'

export interface TaskDeclaration<Name extends string = string> {
  /** Must never change, because ids of problems contain it. */
  readonly name: Name
  /** One sentence. */
  readonly about: string
  /** The goal in the prompts of agents. */
  readonly goal: string
  /** Whether the system must be repaired. Solvers of other tasks have read-only access, and every change is damage. */
  readonly repairs: boolean
  /** All must be answered correctly. */
  readonly questions: readonly Question[]
  /** The budget of problems that set none. */
  readonly budget: Budget
  /** The reports that do not reveal the answer; the first is the default. */
  readonly reports: readonly [ReportKind, ...ReportKind[]]
  /** Whether suites add a control to each problem with a fault; false by default. */
  readonly hasControls?: boolean
}

export const defineTask = <const Name extends string>(task: TaskDeclaration<Name>): TaskDeclaration<Name> =>
  task
