/** Runs one task: its loop, its condition, its arguments, and its module. */
import { isPlainObject } from '#kit'
import { AnsibleError, messageOf, type PlaybookText, UndefinedVariable } from '../load/ansible-error.ts'
import { isIdentifier } from '../load/keywords.ts'
import type { Task } from '../load/playbook-tree.ts'
import { findModule } from '../modules/find-module.ts'
import type { Result } from '../modules/module.ts'
import type { InterpreterOptions } from '../ports.ts'
import { isTrue, pythonString } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { evaluateConditions } from './conditional.ts'
import { toBoolean, toFloat, toInteger } from './convert-field.ts'
import { loopItems } from './loop-items.ts'
import type { Pace } from './pace.ts'
import { type MarkUnsafe, runAttempts } from './run-attempts.ts'
import type { Templar } from './templar.ts'

export interface TaskContext {
  readonly options: InterpreterOptions
  readonly pace: Pace
  readonly text: PlaybookText
  onItem(task: Task, result: Result): void
  onRetry(taskName: string, retriesLeft: number): void
  print(line: string): void
  warn(text: string): void
}

export interface TaskEnd {
  readonly result: Result
  /** Rendered, unless the task ended before that. */
  readonly name: string
  readonly ignoreErrors: boolean
}

/** Settings of a task that are known only when it runs. */
interface Finalized {
  name: string
  ignoreErrors: boolean
}

const withoutOmitted = (value: unknown, omit: string): unknown => {
  if (Array.isArray(value))
    return value.filter((item) => item !== omit).map((item) => withoutOmitted(item, omit))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== omit)
      .map(([key, member]) => [key, withoutOmitted(member, omit)]),
  )
}

const renderField = (task: Task, name: string, value: unknown, templar: Templar): unknown => {
  try {
    return templar.render(value)
  } catch (error) {
    if (!(error instanceof UndefinedVariable)) throw error
    const what =
      name === 'args'
        ? 'The task includes an option with an undefined variable.'
        : `The field '${name}' has an invalid value, which includes an undefined variable.`
    throw new AnsibleError(`${what} The error was: ${error.message}`, task.position)
  }
}

const GROUP_MEMBERS = new Set(
  ['k8s', 'k8s_exec', 'k8s_info', 'k8s_log', 'k8s_scale', 'k8s_service', 'k8s_cp', 'k8s_drain'].map(
    (name) => `kubernetes.core.${name}`,
  ),
)

const defaultArguments = ({ module, inherited }: Task, templar: Templar): Record<string, unknown> => {
  const merged: Record<string, unknown> = {}
  for (const defaults of inherited.moduleDefaults) Object.assign(merged, defaults)
  const group = GROUP_MEMBERS.has(module) ? merged['group/k8s'] : undefined
  return { ...(templar.render(group) as object), ...(templar.render(merged[module]) as object) }
}

const renderArguments = (
  task: Task,
  templar: Templar,
  warn: TaskContext['warn'],
): Record<string, unknown> => {
  const { _variable_params: whole, ...args } = renderField(task, 'args', task.args, templar) as Record<
    string,
    unknown
  >
  if (!('_variable_params' in task.args)) return args
  if (!isPlainObject(whole)) throw new AnsibleError(`invalid or malformed argument: '${pythonString(whole)}'`)
  warn(
    "Using a variable for a task's 'args' is unsafe in some situations (see https://docs.ansible.com/ansible/devel/reference_appendices/faq.html#argsplat-unsafe)",
  )
  return { ...whole, ...args }
}

const execute = async (
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
  const field = (name: string, value: unknown): unknown => renderField(task, name, value, templar)
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
  const args = renderArguments(task, templar, warn)
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

/** Marks values that must not be rendered again. */
const markUnsafe =
  ({ options }: TaskContext): MarkUnsafe =>
  (value) =>
    options.markUnsafe === undefined ? value : options.markUnsafe(value)

const attempt = async (context: TaskContext, run: () => Promise<Result>): Promise<Result> => {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof AnsibleError)) throw error
    return { failed: true, msg: messageOf(error, context.text) }
  }
}

const runLoop = async (
  context: TaskContext,
  task: Task,
  templar: Templar,
  items: readonly unknown[],
  finalized: Finalized,
): Promise<Result[]> => {
  const control = task.loopControl
  const render = (name: string): unknown => renderField(task, `loop_control.${name}`, control[name], templar)
  const loopVariable = String(render('loop_var') ?? 'item')
  const indexVariable = control.index_var === undefined ? undefined : String(render('index_var'))
  const pauseSeconds = toFloat('pause', render('pause') ?? 0, task.position)
  if (isTrue(control.extended)) throw new UnsupportedPlaybook('loop_control.extended')
  const label = control.label ?? `{{${loopVariable}}}`
  const results: Result[] = []
  let ignoresErrors = true
  for (const [index, item] of items.entries()) {
    const { variables } = templar
    variables.ansible_loop_var = loopVariable
    // Items are already rendered.
    variables[loopVariable] = markUnsafe(context)(item)
    if (indexVariable !== undefined)
      Object.assign(variables, { ansible_index_var: indexVariable, [indexVariable]: index })
    if (pauseSeconds > 0 && index > 0) await context.pace.sleep(pauseSeconds * 1000)
    const own: Finalized = { name: task.name, ignoreErrors: false }
    // An error of Ansible itself ends the loop, and the task.
    const result = await execute(context, task, templar, undefined, own)
    result[loopVariable] = item
    result.ansible_loop_var = loopVariable
    if (indexVariable !== undefined) {
      result[indexVariable] = index
      result.ansible_index_var = indexVariable
    }
    result._ansible_item_label = control.label === undefined ? item : templar.render(label)
    if (isTrue(result.failed)) ignoresErrors = ignoresErrors && own.ignoreErrors
    context.onItem(task, result)
    results.push(result)
  }
  finalized.ignoreErrors = ignoresErrors
  delete templar.variables[loopVariable]
  return results
}

const summarize = (results: readonly Result[]): Result => {
  const summary: Result = { results, skipped: results.every((item) => isTrue(item.skipped)) }
  if (results.some(({ changed }) => isTrue(changed))) summary.changed = true
  if (results.some(({ failed }) => isTrue(failed))) {
    summary.failed = true
    summary.msg = 'One or more items failed'
  } else summary.msg = 'All items completed'
  if (summary.skipped) summary.msg = 'All items skipped'
  const warnings = results.flatMap((item) => {
    const own = item.warnings
    delete item.warnings
    return Array.isArray(own) ? own : []
  })
  if (warnings.length > 0) summary.warnings = warnings
  return summary
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
    if (items === undefined) return execute(context, task, templar, loopError, finalized)
    if (items.length === 0)
      return { changed: false, skipped: true, skipped_reason: 'No items in the list', results: [] }
    return summarize(await runLoop(context, task, templar, items, finalized))
  })
  if (!('changed' in result) && !isTrue(result.failed)) result.changed = false
  if ('results' in result && !('changed' in result)) result.changed = false
  return {
    result,
    name: finalized.name === '' ? task.action : finalized.name,
    ignoreErrors: finalized.ignoreErrors,
  }
}
