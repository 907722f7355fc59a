/** Reads one task: its module, its arguments in all their forms, and its keywords. */
import { isPlainObject } from '#kit'
import { pythonType } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'
import { AnsibleError } from './ansible-error.ts'
import { asList, inherit, TASK_KEYWORDS } from './keywords.ts'
import { resolveModule } from './module-names.ts'
import type { Inherited, Task, Values } from './playbook-tree.ts'
import { parseArguments, splitArguments } from './split-arguments.ts'

const shortName = (action: string): string => action.replace(/^ansible\.(?:builtin|legacy)\./, '')

const COMMANDS = new Set(['command', 'shell', 'raw', 'script'])
const WITH_CMD = new Set(['command', 'shell', 'script'])
/** Modules other than commands whose arguments may be free text. */
const WITH_TEXT = new Set([
  ...['include', 'include_vars', 'include_tasks', 'include_role', 'import_tasks', 'import_role', 'add_host'],
  ...['group_by', 'set_fact', 'meta'],
])
const TEMPLATE = /\{\{|\{%|\{#/

interface ParsedAction {
  readonly action: string
  readonly args: Record<string, unknown>
}

const argumentsOf = (value: unknown, action: string, position?: YamlPosition): Record<string, unknown> => {
  if (value === null || value === undefined) return {}
  if (isPlainObject(value)) return { ...value }
  if (typeof value === 'string') return parseArguments(value, COMMANDS.has(shortName(action)))
  throw new AnsibleError(`unexpected parameter type in action: ${pythonType(value)}`, position)
}

/** Parses `action: MODULE ARGUMENTS`, or a map with the key `module`. */
const parseOldStyle = (value: unknown, position?: YamlPosition): ParsedAction => {
  const split = (text: string): ParsedAction => {
    const [action = '', ...rest] = splitArguments(text)
    return { action: action.trim(), args: argumentsOf(rest.join(' '), action.trim()) }
  }
  if (typeof value === 'string') return split(value)
  if (!isPlainObject(value) || typeof value.module !== 'string')
    throw new AnsibleError(`unexpected parameter type in action: ${pythonType(value)}`, position)
  const { module, args: nested, ...direct } = value
  const { action, args } = split(module as string)
  const inner =
    typeof nested === 'string' ? parseArguments(nested, false) : isPlainObject(nested) ? nested : {}
  return { action, args: { ...direct, ...args, ...inner } }
}

const findAction = (fields: Values, inherited: Inherited, position?: YamlPosition): ParsedAction => {
  const oldStyle = fields.action ?? fields.local_action
  if (fields.action !== undefined && fields.local_action !== undefined)
    throw new AnsibleError('action and local_action are mutually exclusive', position)
  let found = oldStyle === undefined ? undefined : parseOldStyle(oldStyle, position)
  const candidates = Object.keys(fields).filter((key) => !TASK_KEYWORDS.has(key) && !key.startsWith('with_'))
  const unknown: string[] = []
  for (const key of candidates) {
    if (!isKnown(key, inherited, candidates.length > 1 || found !== undefined)) {
      unknown.push(key)
      continue
    }
    if (found !== undefined)
      throw new AnsibleError(`conflicting action statements: ${found.action}, ${key}`, position)
    found = { action: key, args: argumentsOf(fields[key], key, position) }
  }
  if (found === undefined)
    throw new AnsibleError(
      unknown.length === 0
        ? 'no module/action detected in task.'
        : `couldn't resolve module/action '${unknown[0]}'. This often indicates a misspelling, missing collection, or incorrect module path.`,
      position,
    )
  if (unknown.length > 0)
    throw new AnsibleError(`'${unknown[0]}' is not a valid attribute for a Task`, position)
  return found
}

/** A second name next to a module is always a mistake, so it does not matter whether such a module exists. */
const isKnown = (name: string, { collections }: Inherited, hasOthers: boolean): boolean => {
  try {
    return resolveModule(name, collections) !== undefined
  } catch (error) {
    if (hasOthers && error instanceof UnsupportedPlaybook) return false
    throw error
  }
}

const extraArguments = (value: unknown): Record<string, unknown> => {
  if (value === undefined) return {}
  if (isPlainObject(value)) return { ...value }
  if (typeof value === 'string' && TEMPLATE.test(value)) return { _variable_params: value }
  throw new AnsibleError(
    typeof value === 'string'
      ? "Complex args containing variables cannot use bare variables (without Jinja2 delimiters), and must use the full variable style ('{{var_name}}')"
      : 'Complex args must be a dictionary or variable string ("{{var}}").',
  )
}

const finishArguments = (
  { action, args }: ParsedAction,
  extra: Record<string, unknown>,
  position?: YamlPosition,
): Record<string, unknown> => {
  const short = shortName(action)
  const result: Record<string, unknown> = { ...extra, ...args }
  const raw = result._raw_params
  if (raw !== undefined && raw !== '' && !COMMANDS.has(short) && !WITH_TEXT.has(short)) {
    if (!TEMPLATE.test(String(raw)))
      throw new AnsibleError(
        `this task '${action}' has extra params, which is only allowed in the following modules: command, shell, raw, script, meta, set_fact`,
        position,
      )
    delete result._raw_params
    result._variable_params = raw
  }
  if (WITH_CMD.has(short) && 'cmd' in result) {
    if (raw !== undefined && raw !== '')
      throw new AnsibleError(
        "The 'cmd' argument cannot be used when other raw parameters are specified. Please put everything in one or the other place.",
        position,
      )
    result._raw_params = result.cmd
    delete result.cmd
  }
  return result
}

const loadLoop = (fields: Values, position?: YamlPosition): Pick<Task, 'loop' | 'loopWith'> => {
  const [name, ...others] = Object.keys(fields).filter((key) => key.startsWith('with_'))
  if (name === undefined) return { loop: fields.loop ?? undefined, loopWith: undefined }
  const plugin = name.slice('with_'.length)
  if (others.length > 0 || fields.loop !== undefined)
    throw new AnsibleError(`duplicate loop in task: ${plugin}`, position)
  if (fields[name] === null) throw new AnsibleError(`you must specify a value when using ${name}`, position)
  return { loop: fields[name], loopWith: plugin }
}

export const loadTask = (fields: Values, parent: Inherited, position: YamlPosition | undefined): Task => {
  const inherited = inherit(parent, fields, 'Task', position)
  const parsed = findAction(fields, inherited, position)
  const module = resolveModule(parsed.action, inherited.collections)
  if (module === undefined)
    throw new AnsibleError(
      `couldn't resolve module/action '${parsed.action}'. This often indicates a misspelling, missing collection, or incorrect module path.`,
      position,
    )
  if (fields.loop_control !== undefined && !isPlainObject(fields.loop_control))
    throw new AnsibleError(
      'the `loop_control` value must be specified as a dictionary and cannot be a variable itself (though it can contain variables)',
      position,
    )
  for (const name of ['name', 'register'])
    if (typeof fields[name] === 'object' && fields[name] !== null)
      throw new AnsibleError(
        `The field '${name}' is supposed to be a string type, however the incoming data structure is a ${pythonType(fields[name])}`,
        position,
      )
  return {
    type: 'task',
    name: fields.name === undefined || fields.name === null ? '' : String(fields.name),
    action: parsed.action,
    module,
    args: finishArguments(parsed, extraArguments(fields.args), position),
    position,
    inherited,
    ...loadLoop(fields, position),
    loopControl: (fields.loop_control as Values | undefined) ?? {},
    until: asList(fields.until),
    retries: fields.retries ?? 3,
    delay: fields.delay ?? 5,
    register: fields.register === undefined ? undefined : String(fields.register),
    failedWhen: asList(fields.failed_when),
    changedWhen: asList(fields.changed_when),
    listen: asList(fields.listen).map(String),
  }
}
