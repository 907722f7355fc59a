/** Runs the module of a task, repeats it according to `until`, and evaluates `changed_when` and `failed_when`. */
import { AnsibleError } from '../load/ansible-error.ts'
import type { Task } from '../load/playbook-tree.ts'
import {
  crash,
  type Module,
  type ModuleCall,
  ModuleEnded,
  PythonError,
  type Result,
} from '../modules/module.ts'
import { isTrue } from '../python/python-text.ts'
import { evaluateConditions } from './conditional.ts'
import { PACE, type Pace } from './pace.ts'
import type { Templar, Variables } from './templar.ts'

const callModule = async (module: Module, call: ModuleCall): Promise<Result> => {
  await call.pace.sleep(PACE.taskMs)
  if (module.runsIn !== 'ansible') await call.pace.sleep(PACE.moduleMs)
  if (module.runsIn === 'kubernetes') await call.pace.sleep(PACE.kubernetesMs)
  try {
    return await module.run(call)
  } catch (error) {
    if (error instanceof ModuleEnded) return { ...error.result }
    if (error instanceof PythonError) return crash(error)
    throw error
  }
}

const addLines = (result: Result): void => {
  for (const stream of ['stdout', 'stderr'])
    if (typeof result[stream] === 'string' && !(`${stream}_lines` in result)) {
      const lines = (result[stream] as string).split(/\r\n|\n|\r/)
      if (lines.at(-1) === '') lines.pop()
      result[`${stream}_lines`] = lines
    }
}

const setDefaults = (result: Result): void => {
  if (!('failed' in result)) result.failed = 'rc' in result && result.rc !== 0 && result.rc !== '0'
  if (!('changed' in result)) result.changed = false
}

const applyConditions = (task: Task, result: Result, templar: Templar): void => {
  if ('skipped' in result) return
  let name = 'changed'
  try {
    if (task.changedWhen.length > 0) result.changed = evaluateConditions(task.changedWhen, templar)
    name = 'failed'
    if (task.failedWhen.length > 0) {
      const isFailed = evaluateConditions(task.failedWhen, templar)
      result.failed_when_result = isFailed
      result.failed = isFailed
    }
  } catch (error) {
    if (!(error instanceof AnsibleError)) throw error
    result.failed = true
    result[`${name}_when_result`] = error.message
  }
}

/** Sets the facts and the registered variable of a result. */
const publish = (task: Task, result: Result, variables: Variables, markUnsafe: MarkUnsafe): void => {
  // A copy, because templates must not see a value change.
  if (task.register !== undefined) variables[task.register] = markUnsafe({ ...result })
  if (task.module === 'ansible.builtin.set_fact') Object.assign(variables, result.ansible_facts)
}

export type MarkUnsafe = (value: unknown) => unknown

export interface AttemptOptions {
  readonly task: Task
  readonly module: Module
  readonly call: () => ModuleCall
  readonly templar: Templar
  readonly pace: Pace
  /** The number of attempts, and the seconds between them. */
  readonly retries: number
  readonly delay: number
  readonly markUnsafe: MarkUnsafe
  onRetry(retriesLeft: number): void
}

export const runAttempts = async (options: AttemptOptions): Promise<Result> => {
  const { task, module, call, templar, pace, retries, delay, markUnsafe } = options
  const hasUntil = task.until.length > 0
  const attempts = hasUntil ? (retries <= 0 ? 1 : retries + 1) : 1
  for (let attempt = 1; ; attempt += 1) {
    const result = await callModule(module, call())
    if (module.runsIn !== 'ansible') addLines(result)
    setDefaults(result)
    if (hasUntil) result.attempts = attempt
    publish(task, result, templar.variables, markUnsafe)
    applyConditions(task, result, templar)
    publish(task, result, templar.variables, markUnsafe)
    if (attempts === 1) return result
    if (isTrue(evaluateConditions(task.until, templar))) return result
    if (attempt === attempts) {
      result.attempts = attempts - 1
      result.failed = true
      return result
    }
    options.onRetry(attempts - attempt)
    await pace.sleep((delay < 0 ? 1 : delay) * 1000)
  }
}
