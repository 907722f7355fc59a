/** Parses an untrusted playbook. */
import { isPlainObject } from '#kit'
import type { Play, PlaybookTask, YamlMap } from './playbook.ts'
import { readPlaybookYaml } from './read-playbook-yaml.ts'
import { isTaskKeyword } from './task-keywords.ts'

const MAX_TASKS = 500
const TASK_LISTS = ['pre_tasks', 'tasks', 'post_tasks', 'handlers'] as const
const BLOCK_LISTS = ['block', 'rescue', 'always'] as const
const PLAYBOOK_SHAPE = 'a playbook is a list of plays, each with "hosts: localhost" and a list of "tasks"'

export type ParsedPlaybook = { readonly plays: readonly Play[] } | { readonly mistake: string }

class Mistake extends Error {}

/** Parses `action: MODULE ARGUMENTS`, or a map with the key `module`. */
const actionOf = (action: unknown): { module: string | undefined; args: unknown } => {
  if (isPlainObject(action)) {
    const { module, ...args } = action
    return { module: module === undefined ? undefined : String(module), args }
  }
  const [, module, args] = /^\s*(\S+)\s*([\s\S]*)$/.exec(String(action ?? '')) ?? []
  return { module, args }
}

const toTask = (fields: YamlMap, location: string): PlaybookTask => {
  const action = fields.action ?? fields.local_action
  const moduleNames = Object.keys(fields).filter(
    (key) => !isTaskKeyword(key) && key !== 'action' && key !== 'local_action',
  )
  const [first, ...others] = moduleNames
  const { module, args } =
    action === undefined
      ? { module: first, args: first === undefined ? undefined : fields[first] }
      : actionOf(action)
  const extraArgs = isPlainObject(fields.args) ? fields.args : {}
  return {
    location,
    module,
    fields,
    extraModules: action === undefined ? others : moduleNames,
    args: isPlainObject(args)
      ? { ...args, ...extraArgs }
      : Object.keys(extraArgs).length > 0
        ? { ...extraArgs, _raw_params: args }
        : args,
  }
}

/** Collects the tasks of a play, including nested blocks. `earlierTasks` is the number of tasks in earlier plays. */
const createTaskCollector = (play: string, earlierTasks: number) => {
  const tasks: PlaybookTask[] = []
  const blocks: { location: string; fields: YamlMap }[] = []
  const collect = (list: unknown, listName: string): void => {
    if (list === undefined || list === null) return
    if (!Array.isArray(list)) throw new Mistake(`"${listName}" of ${play} must be a list of tasks.`)
    for (const entry of list) {
      if (!isPlainObject(entry))
        throw new Mistake(
          `Task ${tasks.length + 1} of ${play} must be a map that contains a module, not ${describe(entry)}.`,
        )
      const label = typeof entry.name === 'string' ? ` "${entry.name.slice(0, 80)}"` : ''
      if (BLOCK_LISTS.some((name) => name in entry)) {
        blocks.push({ location: `the block${label} of ${play}`, fields: entry })
        for (const name of BLOCK_LISTS) collect(entry[name], name)
        continue
      }
      if (earlierTasks + tasks.length >= MAX_TASKS)
        throw new Mistake(`The playbook has more than ${MAX_TASKS} tasks.`)
      tasks.push(toTask(entry, `task ${tasks.length + 1}${label} of ${play}`))
    }
  }
  return { tasks, blocks, collect }
}

const describe = (value: unknown): string => {
  if (value === null || value === undefined) return 'an empty value'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}

const toPlay = (fields: unknown, index: number, earlierTasks: number): Play => {
  const location = `play ${index + 1}`
  if (!isPlainObject(fields))
    throw new Mistake(`Play ${index + 1} must be a map with "hosts" and "tasks", not ${describe(fields)}.`)
  const { tasks, blocks, collect } = createTaskCollector(location, earlierTasks)
  for (const list of TASK_LISTS) collect(fields[list], list)
  return { location, fields, tasks, blocks }
}

const toPlays = (items: readonly unknown[]): Play[] => {
  const plays: Play[] = []
  let tasks = 0
  for (const [index, fields] of items.entries()) {
    const play = toPlay(fields, index, tasks)
    plays.push(play)
    tasks += play.tasks.length
  }
  return plays
}

/** Returns the plays, or one sentence about the mistake. Never throws. */
export const parsePlaybook = (text: string): ParsedPlaybook => {
  if (text.trim() === '') return { mistake: `The playbook is empty: ${PLAYBOOK_SHAPE}.` }
  const yaml = readPlaybookYaml(text)
  if ('mistake' in yaml) return yaml
  const { value } = yaml
  if (value === null || value === undefined) return { mistake: `The playbook is empty: ${PLAYBOOK_SHAPE}.` }
  if (!Array.isArray(value)) return { mistake: `The playbook is ${describe(value)}: ${PLAYBOOK_SHAPE}.` }
  if (value.length === 0) return { mistake: `The playbook has no plays: ${PLAYBOOK_SHAPE}.` }
  try {
    return { plays: toPlays(value) }
  } catch (error) {
    if (error instanceof Mistake) return { mistake: error.message }
    throw error
  }
}
