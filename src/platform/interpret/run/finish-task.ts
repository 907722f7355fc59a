/** Finishes a task: counts, prints and reports its result, and keeps its facts and its registered variable. */
import type { Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import { isTrue } from '../python/python-text.ts'
import { notifyHandlers } from './notify-handlers.ts'
import type { Ending, PlayContext, PlayRun } from './play-run.ts'
import { reportTask } from './report-task.ts'
import { isFailed, isSkipped } from './result-flags.ts'
import type { TaskEnd } from './run-task.ts'

/** A copy without the members that Ansible does not give to variables. */
const withoutInternals = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutInternals)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  if (Object.isFrozen(value)) return value
  const copy = {}
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (key.startsWith('_ansible_') || key === 'invocation') continue
    if ('value' in descriptor) descriptor.value = withoutInternals(descriptor.value)
    Object.defineProperty(copy, key, descriptor)
  }
  return copy
}

const keepFacts = ({ state }: PlayContext, task: Task, result: Result): void => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : [result]
  if (task.module !== 'ansible.builtin.set_fact') return
  for (const { ansible_facts: facts } of items)
    if (typeof facts === 'object' && facts !== null) Object.assign(state.registered, facts)
}

/** Sets a variable whose templates are not rendered. */
const keepVariable = ({ options, state }: PlayRun, name: string, value: unknown): void => {
  state.registered[name] = options.markUnsafe === undefined ? value : options.markUnsafe(value)
}

const failTask = (run: PlayRun, task: Task, name: string, result: Result): Ending => {
  const { stats, output, state } = run
  if (run.rescuers > 0) {
    stats.rescued += 1
    keepVariable(run, 'ansible_failed_task', { name: task.name, action: task.action, args: task.args })
    keepVariable(run, 'ansible_failed_result', withoutInternals(result))
  } else stats.failures += 1
  output.failed(task, result, state.host, false)
  reportTask(run, name, 'failed', result)
  return 'failed'
}

const ignoreFailure = (run: PlayRun, task: Task, name: string, result: Result): Ending => {
  const { stats, output, state } = run
  stats.ok += 1
  stats.ignored += 1
  if (isTrue(result.changed)) stats.changed += 1
  output.failed(task, result, state.host, true)
  reportTask(run, name, 'failed', result)
  return 'ok'
}

const passTask = (run: PlayRun, task: Task, name: string, result: Result): Ending => {
  const { stats, output, state } = run
  if (isSkipped(result)) {
    stats.skipped += 1
    output.skipped(state.host)
    reportTask(run, name, 'skipped', result)
    return 'ok'
  }
  notifyHandlers(run, result)
  keepFacts(run, task, result)
  stats.ok += 1
  if (isTrue(result.changed)) stats.changed += 1
  output.ok(task, result, state.host)
  reportTask(run, name, isTrue(result.changed) ? 'changed' : 'ok', result)
  return 'ok'
}

export const finishTask = (run: PlayRun, task: Task, { result, name, ignoreErrors }: TaskEnd): Ending => {
  const finish = !isFailed(result) ? passTask : ignoreErrors ? ignoreFailure : failTask
  const ending = finish(run, task, name, result)
  if (task.register !== undefined) keepVariable(run, task.register, withoutInternals(result))
  return ending
}
