/** Runs one task, with or without a loop, and converts errors of Ansible to a failed result. */
import { AnsibleError, messageOf, UndefinedVariable } from '../load/ansible-error.ts'
import type { Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import { isTrue } from '../python/python-text.ts'
import { executeTask } from './execute-task.ts'
import { loopItems } from './loop-items.ts'
import { runLoop } from './run-loop.ts'
import type { Finalized, TaskContext } from './task-context.ts'
import type { Templar } from './templar.ts'

export interface TaskEnd {
  readonly result: Result
  /** Rendered, unless the task ended before that. */
  readonly name: string
  readonly ignoreErrors: boolean
}

const attempt = async (context: TaskContext, run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AnsibleError)) throw error
    return { failed: true, msg: messageOf(error, context.text) }
  }
}

export const runTask = async (context: TaskContext, task: Task, templar: Templar): Promise<TaskEnd> => {
  const finalized: Finalized = {
    name: task.name,
    // A task that fails before its fields are rendered ignores errors if the field is anything that Python considers true.
    ignoreErrors: isTrue(task.inherited.ignoreErrors),
  }
  const result = await attempt(context, async () => {
    let items: readonly unknown[] | undefined
    let loopError: AnsibleError | undefined
    try {
      items = loopItems(task, templar)
    } catch (error) {
      if (!(error instanceof UndefinedVariable)) throw error
      loopError = error
    }
    if (items === undefined) return executeTask(context, task, templar, loopError, finalized)
    if (items.length === 0)
      return { changed: false, skipped: true, skipped_reason: 'No items in the list', results: [] }
    return runLoop(context, task, templar, items, finalized)
  })
  if (!('changed' in result) && !isTrue(result.failed)) result.changed = false
  if ('results' in result && !('changed' in result)) result.changed = false
  return {
    result,
    name: finalized.name === '' ? task.action : finalized.name,
    ignoreErrors: finalized.ignoreErrors,
  }
}
