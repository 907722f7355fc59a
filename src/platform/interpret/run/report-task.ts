/** Reports the outcome of a task, for the result of the playbook. */
import { defined } from '#kit'
import type { TaskResult } from '#platform/playbook'
import type { Result } from '../modules/module.ts'
import { taskMessage } from '../output/task-message.ts'
import type { PlayRun } from './play-run.ts'

export const reportTask = (
  { play, report }: PlayRun,
  name: string,
  outcome: TaskResult['outcome'],
  result: Result,
): void => {
  const message = taskMessage(result)
  report({
    play: play.name.slice(0, 200),
    task: name.slice(0, 200),
    outcome,
    ...defined({ message: message === '' ? undefined : message }),
  })
}
