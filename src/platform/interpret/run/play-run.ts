/** The state of a play that runs on its only host, which its tasks share. */
import type { TaskResult } from '#platform/playbook'
import { AnsibleError, type PlaybookText } from '../load/ansible-error.ts'
import type { Play, Task } from '../load/playbook-tree.ts'
import type { PrintedOutput } from '../output/printed-output.ts'
import type { InterpreterOptions } from '../ports.ts'
import { pythonString } from '../python/python-text.ts'
import { type HostState, templarFor } from './host-state.ts'
import type { Pace } from './pace.ts'
import type { PlayStats } from './play-stats.ts'
import type { TaskContext } from './task-context.ts'

export interface PlayContext {
  readonly options: InterpreterOptions
  readonly play: Play
  readonly state: HostState
  readonly stats: PlayStats
  readonly output: PrintedOutput
  readonly pace: Pace
  readonly text: PlaybookText
  readonly gathersFacts: boolean
  /** Called when a task ends. */
  report(result: TaskResult): void
}

/** How a task or block ended; `ended`: the play ends without a failure. */
export type Ending = 'ok' | 'failed' | 'ended'

export const renderName = (context: PlayContext, task: Task): string => {
  const { options, state, play } = context
  try {
    return pythonString(templarFor(options, state, play, task).renderName(task.name || task.action))
  } catch (error) {
    if (error instanceof AnsibleError) return task.name
    throw error
  }
}

/** A running play. */
export interface PlayRun extends PlayContext {
  readonly tasks: TaskContext
  /** Blocks around the current task whose rescue would catch a failure. */
  rescuers: number
}

export const createTaskContext = ({
  options,
  pace,
  text,
  output,
  state: { host },
}: PlayContext): TaskContext => ({
  options,
  pace,
  text,
  onItem: (task, result) => output.item(task, result, host),
  onRetry: (name, left) => output.retry(host, name, left),
  print: output.line,
  warn: output.warning,
})
