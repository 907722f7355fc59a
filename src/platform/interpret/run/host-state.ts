/** The state of the host between tasks: facts, registered results, and notified handlers. */
import type { Play, Task } from '../load/playbook-tree.ts'
import type { InterpreterOptions } from '../ports.ts'
import { factVariables, magicVariables } from './facts.ts'
import { createTemplar, type Templar, type Variables } from './templar.ts'

export interface HostState {
  readonly host: string
  facts: Variables
  /** Results that tasks registered, and facts that they set. */
  readonly registered: Variables
  readonly notified: Set<Task>
}

export const createHostState = (host: string): HostState => ({
  host,
  facts: {},
  registered: {},
  notified: new Set(),
})

/** Collects the variables of one task. Those with higher precedence are set later. */
export const templarFor = (
  options: InterpreterOptions,
  state: HostState,
  play: Play,
  task?: Task,
): Templar => {
  const variables: Variables = {}
  const path = options.path ?? DEFAULT_PATH
  variables.ansible_facts = state.facts
  for (const [name, descriptor] of factVariables(state.facts))
    Object.defineProperty(variables, name, descriptor)
  Object.assign(variables, play.vars, task?.inherited.vars, state.registered)
  const magic = magicVariables({
    host: state.host,
    groups: options.groups ?? [],
    playName: play.name,
    playbookFolder: path.replace(/\/[^/]*$/, ''),
  })
  Object.assign(variables, magic, { omit: options.templates.omit })
  Object.defineProperty(variables, 'hostvars', {
    enumerable: false,
    configurable: true,
    get: () => ({ [state.host]: variables }),
  })
  return createTemplar(options.templates, variables)
}

/** Where the sandbox keeps the playbook. */
export const DEFAULT_PATH = '/input/playbook.yml'
