/** Reads a whole playbook, as ansible-playbook does before it runs the first task. */
import { isPlainObject } from '#kit'
import { pythonType } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import { readAnsibleYaml, YamlMistake, type YamlPosition } from '../yaml/read-ansible-yaml.ts'
import { AnsibleError } from './ansible-error.ts'
import {
  asList,
  BLOCK_KEYWORDS,
  inherit,
  loadVars,
  NOTHING_INHERITED,
  PLAY_KEYWORDS,
  runsByDefault,
} from './keywords.ts'
import { loadTask } from './load-task.ts'
import type { Block, Inherited, Play, PlayNode, Task, Values } from './playbook-tree.ts'

type PositionOf = (map: object) => YamlPosition | undefined

const BLOCK_PARTS = ['block', 'rescue', 'always'] as const
/** Keywords of a play that include files, or run tasks on other hosts or in another order. */
const UNSUPPORTED_OF_PLAYS = [
  ...['roles', 'vars_files', 'vars_prompt', 'force_handlers', 'max_fail_percentage', 'serial', 'strategy'],
  ...['gather_subset', 'fact_path'],
]

const checkAttributes = (
  fields: Values,
  known: ReadonlySet<string>,
  owner: string,
  position: YamlPosition | undefined,
): void => {
  const unknown = Object.keys(fields).find((key) => !known.has(key))
  if (unknown !== undefined)
    throw new AnsibleError(`'${unknown}' is not a valid attribute for a ${owner}`, position)
}

const loadBlock = (fields: Values, parent: Inherited, positionOf: PositionOf): Block => {
  const position = positionOf(fields)
  checkAttributes(fields, BLOCK_KEYWORDS, 'Block', position)
  const inherited = inherit(parent, fields, 'Block', position)
  const [block, rescue, always] = BLOCK_PARTS.map((part) =>
    loadNodes(fields[part], inherited, positionOf, 'a block'),
  )
  return { type: 'block', block: block!, rescue: rescue!, always: always! }
}

const loadNodes = (list: unknown, parent: Inherited, positionOf: PositionOf, what: string): PlayNode[] => {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) throw new AnsibleError(`A malformed block was encountered while loading ${what}`)
  return list.flatMap((entry): PlayNode[] => {
    if (!isPlainObject(entry))
      throw new AnsibleError(`A malformed block was encountered while loading ${what}`)
    if (BLOCK_PARTS.some((part) => part in entry)) {
      const block = loadBlock(entry, parent, positionOf)
      return block.block.length + block.rescue.length + block.always.length === 0 ? [] : [block]
    }
    const task = loadTask(entry, parent, positionOf(entry))
    return runsByDefault(task.inherited.tags) ? [task] : []
  })
}

const loadHandlers = (list: unknown, parent: Inherited, positionOf: PositionOf): Task[] =>
  asList(list).map((entry) => {
    if (!isPlainObject(entry))
      throw new AnsibleError('A malformed block was encountered while loading handlers')
    if (BLOCK_PARTS.some((part) => part in entry))
      throw new AnsibleError('Using a block as a handler is not supported.', positionOf(entry))
    return loadTask(entry, parent, positionOf(entry))
  })

const loadHosts = (fields: Values): string[] => {
  const { hosts } = fields
  if (!('hosts' in fields)) throw new AnsibleError("the field 'hosts' is required but was not set")
  if (hosts === null || hosts === '' || (Array.isArray(hosts) && hosts.length === 0))
    throw new AnsibleError('Hosts list cannot be empty. Please check your playbook')
  for (const host of asList(hosts)) {
    if (host === null)
      throw new AnsibleError("Hosts list cannot contain values of 'None'. Please check your playbook")
    if (typeof host !== 'string')
      throw new AnsibleError(
        Array.isArray(hosts)
          ? `Hosts list contains an invalid host value: '${String(host)}'`
          : 'Hosts list must be a sequence or string. Please check your playbook.',
      )
    if (host.includes('{{')) throw new UnsupportedPlaybook('hosts as an expression')
  }
  return asList(hosts) as string[]
}

const loadPlay = (fields: unknown, positionOf: PositionOf): Play => {
  if (!isPlainObject(fields))
    throw new AnsibleError("playbook entries must be either valid plays or 'import_playbook' statements")
  if (Object.keys(fields).some((key) => /^(?:ansible\.(?:builtin|legacy)\.)?import_playbook$/.test(key)))
    throw new UnsupportedPlaybook('import_playbook')
  const position = positionOf(fields)
  checkAttributes(fields, PLAY_KEYWORDS, 'Play', position)
  for (const name of UNSUPPORTED_OF_PLAYS)
    if (asList(fields[name]).length > 0 && fields[name] !== 'linear' && fields[name] !== false)
      throw new UnsupportedPlaybook(`${name} of a play`)
  const inherited = inherit(NOTHING_INHERITED, fields, 'Play', position)
  const hosts = loadHosts(fields)
  return {
    name: typeof fields.name === 'string' && fields.name !== '' ? fields.name : hosts.join(','),
    hosts,
    vars: loadVars(fields.vars, 'Play', position),
    gatherFacts: fields.gather_facts,
    preTasks: loadNodes(fields.pre_tasks, inherited, positionOf, 'pre_tasks'),
    tasks: loadNodes(fields.tasks, inherited, positionOf, 'tasks'),
    postTasks: loadNodes(fields.post_tasks, inherited, positionOf, 'post_tasks'),
    handlers: loadHandlers(fields.handlers, inherited, positionOf),
  }
}

const readYaml = (text: string): { value: unknown; positionOf: PositionOf } => {
  try {
    const { documents, positionOf } = readAnsibleYaml(text)
    if (documents.length > 1)
      throw new AnsibleError(
        'Syntax Error while loading YAML.\n  expected a single document in the stream\nbut found another document',
      )
    return { value: documents[0], positionOf }
  } catch (error) {
    if (!(error instanceof YamlMistake)) throw error
    throw new AnsibleError(`Syntax Error while loading YAML.\n  ${error.message}`, error.position)
  }
}

/** Throws an AnsibleError for a mistake, and UnsupportedPlaybook for a construct that is not supported. */
export const loadPlaybook = (text: string, path: string): Play[] => {
  const { value, positionOf } = readYaml(text)
  if (value === null || value === undefined) throw new AnsibleError(`Empty playbook, nothing to do: ${path}`)
  if (!Array.isArray(value))
    throw new AnsibleError(
      `A playbook must be a list of plays, got a ${pythonType(value)} instead: ${path}`,
      isPlainObject(value) ? positionOf(value) : undefined,
    )
  if (value.length === 0) throw new AnsibleError(`A playbook must contain at least one play: ${path}`)
  return value.map((fields) => loadPlay(fields, positionOf))
}
