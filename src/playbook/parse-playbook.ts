/** Reads a playbook that a stranger wrote. */
import { isMap, type Play, type PlaybookTask, type YamlMap } from './playbook.ts'
import { readPlaybookYaml } from './read-yaml.ts'
import { isTaskKeyword } from './task-keywords.ts'

const MOST_TASKS = 500
const TASK_LISTS = ['pre_tasks', 'tasks', 'post_tasks', 'handlers'] as const
const BLOCK_LISTS = ['block', 'rescue', 'always'] as const
const EXAMPLE = 'a playbook is a list of plays, each with "hosts: localhost" and a list of "tasks"'

export type Parsed = { readonly plays: readonly Play[] } | { readonly mistake: string }

class Mistake extends Error {}

/** `action: MODULE ARGUMENTS`, or a map with the module in it. */
const actionOf = (action: unknown): { module: string | undefined; args: unknown } => {
  if (isMap(action)) {
    const { module, ...args } = action
    return { module: module === undefined ? undefined : String(module), args }
  }
  const [, module, args] = /^\s*(\S+)\s*([\s\S]*)$/.exec(String(action ?? '')) ?? []
  return { module, args }
}

const toTask = (fields: YamlMap, place: string): PlaybookTask => {
  const action = fields.action ?? fields.local_action
  const named = Object.keys(fields).filter(
    (key) => !isTaskKeyword(key) && key !== 'action' && key !== 'local_action',
  )
  const [first, ...others] = named
  const { module, args } =
    action === undefined
      ? { module: first, args: first === undefined ? undefined : fields[first] }
      : actionOf(action)
  const more = isMap(fields.args) ? fields.args : {}
  return {
    place,
    module,
    fields,
    others: action === undefined ? others : named,
    args: isMap(args)
      ? { ...args, ...more }
      : Object.keys(more).length > 0
        ? { ...more, _raw_params: args }
        : args,
  }
}

/** Gathers the tasks of one play, those of blocks within blocks too; there are `before` already in other plays. */
const createGathering = (play: string, before: number) => {
  const tasks: PlaybookTask[] = []
  const blocks: { place: string; fields: YamlMap }[] = []
  const gather = (list: unknown, where: string): void => {
    if (list === undefined || list === null) return
    if (!Array.isArray(list)) throw new Mistake(`"${where}" of ${play} must be a list of tasks.`)
    for (const one of list) {
      if (!isMap(one))
        throw new Mistake(
          `Task ${tasks.length + 1} of ${play} must be a map with a module in it, not ${describe(one)}.`,
        )
      const label = typeof one.name === 'string' ? ` "${one.name.slice(0, 80)}"` : ''
      if (BLOCK_LISTS.some((name) => name in one)) {
        blocks.push({ place: `the block${label} of ${play}`, fields: one })
        for (const name of BLOCK_LISTS) gather(one[name], name)
        continue
      }
      if (before + tasks.length >= MOST_TASKS)
        throw new Mistake(`The playbook has more than ${MOST_TASKS} tasks.`)
      tasks.push(toTask(one, `task ${tasks.length + 1}${label} of ${play}`))
    }
  }
  return { tasks, blocks, gather }
}

const describe = (value: unknown): string =>
  value === null || value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : typeof value

const toPlay = (fields: unknown, index: number, before: number): Play => {
  const place = `play ${index + 1}`
  if (!isMap(fields))
    throw new Mistake(`${place} must be a map with "hosts" and "tasks", not ${describe(fields)}.`)
  const { tasks, blocks, gather } = createGathering(place, before)
  for (const list of TASK_LISTS) gather(fields[list], list)
  return { place, fields, tasks, blocks }
}

const toPlays = (all: readonly unknown[]): Play[] => {
  const plays: Play[] = []
  let tasks = 0
  for (const [index, fields] of all.entries()) {
    const play = toPlay(fields, index, tasks)
    plays.push(play)
    tasks += play.tasks.length
  }
  return plays
}

/** The plays; or one sentence that says what is wrong. Never throws. */
export const parsePlaybook = (text: string): Parsed => {
  if (text.trim() === '') return { mistake: `The playbook is empty: ${EXAMPLE}.` }
  const read = readPlaybookYaml(text)
  if ('mistake' in read) return read
  const { value } = read
  if (value === null || value === undefined) return { mistake: `The playbook is empty: ${EXAMPLE}.` }
  if (!Array.isArray(value)) return { mistake: `The playbook is ${describe(value)}: ${EXAMPLE}.` }
  if (value.length === 0) return { mistake: `The playbook has no play: ${EXAMPLE}.` }
  try {
    return { plays: toPlays(value) }
  } catch (error) {
    if (error instanceof Mistake) return { mistake: error.message }
    throw error
  }
}
