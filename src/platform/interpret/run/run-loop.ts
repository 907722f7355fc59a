/** Runs a task for each item of its loop, and summarizes the results. */
import type { Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import { isTrue } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { toFloat } from './convert-field.ts'
import { executeTask } from './execute-task.ts'
import { renderField } from './task-arguments.ts'
import { type Finalized, markUnsafe, type TaskContext } from './task-context.ts'
import type { Templar } from './templar.ts'

const runItems = async (
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
    const result = await executeTask(context, task, templar, undefined, own)
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

export const runLoop = async (
  context: TaskContext,
  task: Task,
  templar: Templar,
  items: readonly unknown[],
  finalized: Finalized,
): Promise<Result> => summarize(await runItems(context, task, templar, items, finalized))
