/** Runs one play on its only host: blocks with rescue and always, handlers, facts, and results. */
import { defined } from '#kit'
import type { TaskResult } from '#platform/playbook'
import { AnsibleError, messageOf, PlaybookAborted, type PlaybookText } from '../load/ansible-error.ts'
import type { Block, Play, PlayNode, Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import type { PrintedOutput } from '../output/printed-output.ts'
import { taskMessage } from '../output/task-message.ts'
import type { InterpreterOptions } from '../ports.ts'
import { isTrue, pythonString } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { evaluateConditions } from './conditional.ts'
import { gatherFacts } from './facts.ts'
import { type HostState, templarFor } from './host-state.ts'
import { PACE, type Pace } from './pace.ts'
import type { PlayStats } from './play-stats.ts'
import { runTask, type TaskContext } from './run-task.ts'

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
type Ending = 'ok' | 'failed' | 'ended'

/** The flag of a result, or of any item of a loop. */
const hasFlag = (result: Result, key: string): boolean => {
  if (key in result) return isTrue(result[key])
  return Array.isArray(result.results) && result.results.some((item: Result) => isTrue(item[key]))
}

const isFailed = (result: Result): boolean => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : []
  const usesCondition = [result, ...items].some((each) => 'failed_when_result' in each)
  return hasFlag(result, usesCondition ? 'failed_when_result' : 'failed')
}

const isSkipped = (result: Result): boolean => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : []
  return (items.length > 0 && items.every((item) => isTrue(item.skipped))) || isTrue(result.skipped)
}

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

const renderName = (context: PlayContext, task: Task): string => {
  const { options, state, play } = context
  try {
    return pythonString(templarFor(options, state, play, task).renderName(task.name || task.action))
  } catch (error) {
    if (error instanceof AnsibleError) return task.name
    throw error
  }
}

const notifyHandlers = (context: PlayContext, result: Result): void => {
  const { play, state } = context
  const items = Array.isArray(result.results) ? (result.results as Result[]) : [result]
  for (const { _ansible_notify: names } of items) {
    if (!Array.isArray(names) || !hasFlag(result, 'changed')) continue
    for (const name of names.map(pythonString)) {
      const named = play.handlers
        .toReversed()
        .find((handler) => handler.name !== '' && renderName(context, handler) === name)
      const listening = play.handlers.filter(({ listen }) => listen.includes(name))
      const found = [...(named === undefined ? [] : [named]), ...listening]
      if (found.length === 0)
        throw new PlaybookAborted(
          `The requested handler '${name}' was not found in either the main handlers list nor in the listening handlers list`,
        )
      for (const handler of found) state.notified.add(handler)
    }
  }
}

const keepFacts = ({ state }: PlayContext, task: Task, result: Result): void => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : [result]
  if (task.module !== 'ansible.builtin.set_fact') return
  for (const { ansible_facts: facts } of items)
    if (typeof facts === 'object' && facts !== null) Object.assign(state.registered, facts)
}

/** A running play. */
interface PlayRun extends PlayContext {
  readonly tasks: TaskContext
  /** Blocks around the current task whose rescue would catch a failure. */
  rescuers: number
}

type Prefix = 'TASK' | 'RUNNING HANDLER'

const createTaskContext = ({ options, pace, text, output, state: { host } }: PlayContext): TaskContext => ({
  options,
  pace,
  text,
  onItem: (task, result) => output.item(task, result, host),
  onRetry: (name, left) => output.retry(host, name, left),
  print: output.line,
  warn: output.warning,
})

const reportTask = (
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

const runOne = async (run: PlayRun, task: Task, prefix: Prefix): Promise<Ending> => {
  if (task.module === 'ansible.builtin.meta') return runMeta(run, task, prefix)
  const { options, state, play, output } = run
  output.task(renderName(run, task), prefix)
  const { result, name, ignoreErrors } = await runTask(
    run.tasks,
    task,
    templarFor(options, state, play, task),
  )
  const finish = !isFailed(result) ? passTask : ignoreErrors ? ignoreFailure : failTask
  const ending = finish(run, task, name, result)
  if (task.register !== undefined) keepVariable(run, task.register, withoutInternals(result))
  return ending
}

const META_ACTIONS = new Set(['noop', 'flush_handlers', 'end_play', 'end_host', 'end_batch'])

const holds = ({ options, state, play, text }: PlayRun, task: Task): boolean => {
  try {
    return isTrue(
      evaluateConditions(task.inherited.when, templarFor(options, state, play, task), task.position),
    )
  } catch (error) {
    throw error instanceof AnsibleError ? new PlaybookAborted(messageOf(error, text)) : error
  }
}

const runMeta = async (run: PlayRun, task: Task, prefix: Prefix): Promise<Ending> => {
  const { output, state } = run
  const action = String(task.args._raw_params ?? '')
  output.task(renderName(run, task), prefix)
  if (!META_ACTIONS.has(action)) throw new UnsupportedPlaybook(`meta: ${action}`)
  if (action === 'noop') return 'ok'
  if (holds(run, task)) return action === 'flush_handlers' ? runHandlers(run) : 'ended'
  output.skipped(state.host)
  reportTask(run, task.name || task.action, 'skipped', {
    msg: metaMessage(action, state.host),
    skip_reason: metaSkipReason(action, state.host),
  })
  return 'ok'
}

const runHandlers = async (run: PlayRun): Promise<Ending> => {
  for (const handler of run.play.handlers) {
    if (!run.state.notified.has(handler)) continue
    const ending = await runOne(run, handler, 'RUNNING HANDLER')
    run.state.notified.delete(handler)
    if (ending !== 'ok') return ending
  }
  return 'ok'
}

const runNodes = async (run: PlayRun, nodes: readonly PlayNode[]): Promise<Ending> => {
  for (const node of nodes) {
    const ending = node.type === 'block' ? await runBlock(run, node) : await runOne(run, node, 'TASK')
    if (ending !== 'ok') return ending
  }
  return 'ok'
}

const runBlock = async (run: PlayRun, { block, rescue, always }: Block): Promise<Ending> => {
  if (rescue.length > 0) run.rescuers += 1
  let ending = await runNodes(run, block)
  if (rescue.length > 0) run.rescuers -= 1
  if (ending === 'failed' && rescue.length > 0) ending = await runNodes(run, rescue)
  if (ending === 'ended') return ending
  const last = await runNodes(run, always)
  return last === 'ok' ? ending : last
}

const gather = async ({ output, pace, state, stats, play, report }: PlayRun): Promise<void> => {
  output.task('Gathering Facts')
  await pace.sleep(PACE.taskMs + PACE.factsMs)
  state.facts = gatherFacts(pace.now())
  stats.ok += 1
  output.line(`ok: [${state.host}]`)
  report({ play: play.name, task: 'Gathering Facts', outcome: 'ok' })
}

/** Returns whether the host failed. */
export const runPlay = async (context: PlayContext): Promise<boolean> => {
  const run: PlayRun = { ...context, tasks: createTaskContext(context), rescuers: 0 }
  const { preTasks, tasks, postTasks } = run.play
  if (run.gathersFacts) await gather(run)
  for (const nodes of [preTasks, tasks, postTasks]) {
    const ending = await runNodes(run, nodes)
    if (ending !== 'ok') return ending === 'failed'
    const flushed = await runHandlers(run)
    if (flushed !== 'ok') return flushed === 'failed'
  }
  return false
}

const metaMessage = (action: string, host: string): string =>
  action === 'end_host' ? `end_host conditional evaluated to false, continuing execution for ${host}` : action

const META_CONSEQUENCES: Readonly<Record<string, string>> = {
  flush_handlers: ', not running handlers for HOST',
  end_play: ', continuing play',
  end_batch: ', continuing current batch',
  end_host: ', continuing execution for HOST',
}

const metaSkipReason = (action: string, host: string): string =>
  `${action} conditional evaluated to False${META_CONSEQUENCES[action]!.replace('HOST', host)}`
