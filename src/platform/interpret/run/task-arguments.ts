/** Renders the fields and the arguments of a task, with the defaults of its module. */
import { isPlainObject } from '#kit'
import { AnsibleError, UndefinedVariable } from '../load/ansible-error.ts'
import type { Task } from '../load/playbook-tree.ts'
import { pythonString } from '../python/python-text.ts'
import type { TaskContext } from './task-context.ts'
import type { Templar } from './templar.ts'

export const withoutOmitted = (value: unknown, omit: string): unknown => {
  if (Array.isArray(value))
    return value.filter((item) => item !== omit).map((item) => withoutOmitted(item, omit))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== omit)
      .map(([key, member]) => [key, withoutOmitted(member, omit)]),
  )
}

export const renderField = (task: Task, name: string, value: unknown, templar: Templar): unknown => {
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

export const defaultArguments = ({ module, inherited }: Task, templar: Templar): Record<string, unknown> => {
  const merged: Record<string, unknown> = {}
  for (const defaults of inherited.moduleDefaults) Object.assign(merged, defaults)
  const group = GROUP_MEMBERS.has(module) ? merged['group/k8s'] : undefined
  return { ...(templar.render(group) as object), ...(templar.render(merged[module]) as object) }
}

export const renderArguments = (
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
