/** The parts of a play that a task uses, and the settings of a task that are known only when it runs. */
import type { PlaybookText } from '../load/ansible-error.ts'
import type { Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import type { InterpreterOptions } from '../ports.ts'
import type { Pace } from './pace.ts'
import type { MarkUnsafe } from './run-attempts.ts'

export interface TaskContext {
  readonly options: InterpreterOptions
  readonly pace: Pace
  readonly text: PlaybookText
  onItem(task: Task, result: Result): void
  onRetry(taskName: string, retriesLeft: number): void
  print(line: string): void
  warn(text: string): void
}

/** Settings of a task that are known only when it runs. */
export interface Finalized {
  name: string
  ignoreErrors: boolean
}

/** Marks values that must not be rendered again. */
export const markUnsafe =
  ({ options }: TaskContext): MarkUnsafe =>
  (value) =>
    options.markUnsafe === undefined ? value : options.markUnsafe(value)
