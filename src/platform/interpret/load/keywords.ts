/** The keywords of plays, blocks and tasks, and how a task inherits them. */
import { isPlainObject } from '#kit'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'
import { AnsibleError } from './ansible-error.ts'
import { resolveModule } from './module-names.ts'
import type { Inherited, Values } from './playbook-tree.ts'

const COMMON = [
  ...['any_errors_fatal', 'become', 'become_exe', 'become_flags', 'become_method', 'become_user'],
  ...['check_mode', 'collections', 'connection', 'debugger', 'diff', 'environment', 'ignore_errors'],
  ...['ignore_unreachable', 'module_defaults', 'name', 'no_log', 'port', 'remote_user', 'run_once', 'tags'],
  ...['throttle', 'timeout', 'vars'],
]

export const TASK_KEYWORDS = new Set([
  ...COMMON,
  ...['action', 'args', 'async', 'changed_when', 'delay', 'delegate_facts', 'delegate_to', 'failed_when'],
  ...['listen', 'local_action', 'loop', 'loop_control', 'loop_with', 'notify', 'poll', 'register', 'retries'],
  ...['static', 'until', 'when'],
])

export const BLOCK_KEYWORDS = new Set([
  ...COMMON,
  ...['always', 'block', 'delegate_facts', 'delegate_to', 'notify', 'rescue', 'when'],
])

export const PLAY_KEYWORDS = new Set([
  ...COMMON,
  ...['fact_path', 'force_handlers', 'gather_facts', 'gather_subset', 'gather_timeout', 'handlers', 'hosts'],
  ...['max_fail_percentage', 'order', 'post_tasks', 'pre_tasks', 'roles', 'serial', 'strategy', 'tasks'],
  ...['user', 'vars_files', 'vars_prompt'],
])

const IDENTIFIER = /^[A-Za-z_]\w*$/

export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name)

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** Keywords that would change how or where a task runs. */
export const checkKeywords = (fields: Values, where: string): void => {
  for (const name of ['async', 'timeout', 'debugger'])
    if (isSet(fields[name]) && fields[name] !== 0) throw new UnsupportedPlaybook(`${name} in ${where}`)
  if (isSet(fields.connection) && fields.connection !== 'local')
    throw new UnsupportedPlaybook(`connection: ${String(fields.connection)} in ${where}`)
}

const LOCALHOST = new Set(['localhost', '127.0.0.1', '::1'])

export const asList = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

export const loadVars = (
  value: unknown,
  owner: string,
  position: YamlPosition | undefined,
): Record<string, unknown> => {
  const maps = asList(value)
  const result: Record<string, unknown> = {}
  for (const map of maps) {
    if (!isPlainObject(map))
      throw new AnsibleError(
        `Vars in a ${owner} must be specified as a dictionary, or a list of dictionaries`,
        position,
      )
    for (const [name, member] of Object.entries(map)) {
      if (!isIdentifier(name))
        throw new AnsibleError(
          `Invalid variable name in vars specified for ${owner}: '${name}' is not a valid variable name`,
          position,
        )
      result[name] = member
    }
  }
  return result
}

const loadTags = (value: unknown): readonly unknown[] => {
  const tags = typeof value === 'string' ? value.split(',').map((tag) => tag.trim()) : asList(value)
  if (tags.some((tag) => typeof tag === 'string' && tag.includes('{{')))
    throw new UnsupportedPlaybook('tags with an expression')
  return tags
}

const GROUP = /^group\/(?:kubernetes\.core\.|ansible\.builtin\.)?k8s$/

/** Returns defaults by the full name of their module. The defaults of all Kubernetes modules have the key `group/k8s`. */
const loadModuleDefaults = (value: unknown, collections: readonly string[]): Values[] =>
  asList(value).map((entry) => {
    if (!isPlainObject(entry))
      throw new AnsibleError(
        "The field 'module_defaults' is supposed to be a dictionary or list of dictionaries",
      )
    return Object.fromEntries(
      Object.entries(entry).map(([name, defaults]) => {
        if (GROUP.test(name)) return ['group/k8s', defaults]
        if (name.startsWith('group/')) throw new UnsupportedPlaybook(`module_defaults of ${name}`)
        const module = resolveModule(name, collections)
        if (module === undefined)
          throw new AnsibleError(`Could not resolve action ${name} in module_defaults`)
        return [module, defaults]
      }),
    )
  })

const HARMLESS_VARIABLE =
  /^(?!K8S_|KUBE|PATH$|HOME$|TMPDIR$|LD_|PYTHON|ANSIBLE_|HTTPS?_PROXY$|NO_PROXY$|https?_proxy$|no_proxy$)/

const loadEnvironment = (value: unknown): readonly unknown[] => {
  for (const entry of asList(value)) {
    if (!isPlainObject(entry)) throw new UnsupportedPlaybook('environment as an expression')
    for (const name of Object.keys(entry))
      if (!HARMLESS_VARIABLE.test(name)) throw new UnsupportedPlaybook(`the environment variable ${name}`)
  }
  return asList(value)
}

export const NOTHING_INHERITED: Inherited = {
  when: [],
  vars: {},
  moduleDefaults: [],
  environment: [],
  tags: [],
  collections: [],
  ignoreErrors: undefined,
  ignoreUnreachable: undefined,
  noLog: undefined,
  checkMode: undefined,
  runOnce: undefined,
  delegateTo: undefined,
  notify: [],
}

/** Adds the keywords of a play, block or task to those of its parent. The variables of a play are kept apart. */
export const inherit = (
  parent: Inherited,
  fields: Values,
  owner: 'Play' | 'Block' | 'Task',
  position: YamlPosition | undefined,
): Inherited => {
  checkKeywords(fields, `a ${owner.toLowerCase()}`)
  const collections =
    fields.collections === undefined ? parent.collections : asList(fields.collections).map(String)
  const delegateTo = fields.delegate_to ?? parent.delegateTo
  if (delegateTo !== undefined && !LOCALHOST.has(String(delegateTo)))
    throw new UnsupportedPlaybook(`delegate_to: ${String(delegateTo)}`)
  return {
    when: [...parent.when, ...(owner === 'Play' ? [] : asList(fields.when))],
    vars: owner === 'Play' ? {} : { ...parent.vars, ...loadVars(fields.vars, owner, position) },
    moduleDefaults: [...parent.moduleDefaults, ...loadModuleDefaults(fields.module_defaults, collections)],
    environment: [...parent.environment, ...loadEnvironment(fields.environment)],
    tags: [...parent.tags, ...loadTags(fields.tags)],
    collections,
    ignoreErrors: fields.ignore_errors ?? parent.ignoreErrors,
    ignoreUnreachable: fields.ignore_unreachable ?? parent.ignoreUnreachable,
    noLog: fields.no_log ?? parent.noLog,
    checkMode: fields.check_mode ?? parent.checkMode,
    runOnce: fields.run_once ?? parent.runOnce,
    delegateTo,
    notify: fields.notify === undefined ? parent.notify : asList(fields.notify),
  }
}

/** Whether ansible-playbook runs a task with these tags if none are requested. */
export const runsByDefault = (tags: readonly unknown[]): boolean =>
  tags.includes('always') || !tags.includes('never')
