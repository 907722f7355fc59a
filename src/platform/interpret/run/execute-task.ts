/** Executes a task once: for the task itself, or for one item of its loop. */
import { AnsibleError, UnexpectedFailure, UnexplainedFailure } from '../load/ansible-error.ts'
import { isIdentifier } from '../load/keywords.ts'
import type { Task } from '../load/playbook-tree.ts'
import { findModule } from '../modules/find-module.ts'
import type { Result } from '../modules/module.ts'
import { isTrue, pythonString } from '../python/python-text.ts'
import { evaluateConditions } from './conditional.ts'
import { toBoolean, toInteger } from './convert-field.ts'
import { runAttempts } from './run-attempts.ts'
import { defaultArguments, renderArguments, renderField, withoutOmitted } from './task-arguments.ts'
import { type Finalized, markUnsafe, type TaskContext } from './task-context.ts'
import type { Templar } from './templar.ts'

/** Renders a field or the arguments of a task. */
const finalize = <T>(render: () => T): T => {
  try {
    return render()
  } catch (error) {
    throw error instanceof UnexpectedFailure ? new UnexplainedFailure(error.message) : error
  }
}

const executeFinalized = async (
  context: TaskContext,
  task: Task,
  templar: Templar,
  loopError: AnsibleError | undefined,
  finalized: Finalized,
): Promise<Result> => {
  const { options, pace, warn } = context
  const { inherited } = task
  try {
    if (!isTrue(evaluateConditions(inherited.when, templar, task.position)))
      return { changed: false, skipped: true, skip_reason: 'Conditional result was False' }
  } catch (error) {
    throw error instanceof AnsibleError && loopError !== undefined ? loopError : error
  }
  if (loopError !== undefined) throw loopError
  const field = (name: string, value: unknown): unknown =>
    finalize(() => renderField(task, name, value, templar))
  finalized.name = pythonString(templar.renderName(task.name))
  const { position } = task
  const noLog = toBoolean('no_log', field('no_log', inherited.noLog), position)
  finalized.ignoreErrors = toBoolean(
    'ignore_errors',
    field('ignore_errors', inherited.ignoreErrors),
    position,
  )
  const isCheckMode = toBoolean('check_mode', field('check_mode', inherited.checkMode), position)
  const retries = toInteger('retries', field('retries', task.retries), position)
  const delay = toInteger('delay', field('delay', task.delay), position)
  const args = finalize(() => renderArguments(task, templar, warn))
  const module = findModule(task.module)
  const finalArgs = withoutOmitted({ ...defaultArguments(task, templar), ...args }, templar.omit) as Record<
    string,
    unknown
  >
  if (task.register !== undefined && !isIdentifier(task.register))
    throw new AnsibleError(`Invalid variable name in 'register' specified: '${task.register}'`)
  const taskName = finalized.name === '' ? task.action : finalized.name
  const { api, discovery, commands } = options
  const result = await runAttempts({
    task,
    module,
    templar,
    pace,
    retries,
    delay,
    markUnsafe: markUnsafe(context),
    call: () => ({
      action: task.action,
      taskName,
      args: structuredClone(finalArgs),
      rawArgs: task.args,
      templar,
      isCheckMode,
      api,
      discovery,
      commands,
      pace,
      print: context.print,
    }),
    onRetry: (left) => context.onRetry(taskName, left),
  })
  if (noLog) result._ansible_no_log = true
  if (inherited.notify.length > 0) result._ansible_notify = field('notify', inherited.notify)
  return result
}

export const executeTask: typeof executeFinalized = async (...execution) => {
  try {
    return await executeFinalized(...execution)
  } catch (error) {
    if (error instanceof UnexplainedFailure) return { changed: false, failed: true }
    throw error
  }
}
