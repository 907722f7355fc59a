/** The state of a running script, its streams, and the ways in which a command ends it. */
import { UnsupportedCommand } from '#spec'
import type { ShellPort, Write } from './shell-port.ts'
import type { Command } from './syntax/script-tree.ts'

/** The end of the script by `exit`, or by `set -e`. */
export class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super()
    this.code = code
  }
}

/** `break`, `continue` and `return`. */
export class ShellJump extends Error {
  readonly type: 'break' | 'continue' | 'return'
  /** How many loops it leaves, or the code of `return`. */
  readonly number: number

  constructor(type: ShellJump['type'], number: number) {
    super()
    this.type = type
    this.number = number
  }
}

/** The streams of a command. The input is shared, so that `read` takes one line after the other. */
export interface Streams {
  readonly input: { text: string }
  readonly out: Write
  readonly err: Write
}

export interface Variable {
  readonly value: string
  readonly isExported: boolean
}

/** The state that all subshells share. */
export interface ShellProgress {
  /** Commands since the shell last waited. */
  commands: number
  /** The signals with a trap that the shell has received and not handled yet. */
  readonly received: string[]
  /** Called when a signal arrives. */
  readonly waiting: Set<() => void>
}

export interface Shell {
  readonly port: ShellPort
  readonly variables: Map<string, Variable>
  readonly functions: Map<string, Command>
  /** By the name of the signal, or `EXIT`. */
  readonly traps: Map<string, string>
  /** Programs in the background by their ids. */
  readonly jobs: Map<number, Promise<number>>
  readonly progress: ShellProgress
  readonly isSubshell: boolean
  /** The streams of commands without redirections, which `exec` can change. */
  streams: Streams
  parameters: readonly string[]
  folder: string
  lastCode: number
  /** The code of the last command substitution. */
  capturedCode: number
  lastJob: number | undefined
  line: number
  exitsOnError: boolean
  refusesUnset: boolean
  expandsNames: boolean
  /** Nesting of conditions, in which failures do not end the script. */
  conditions: number
  loops: number
  /** Variables to restore at the end of each running function. */
  locals: Map<string, Variable | undefined>[]
}

export const createShell = (port: ShellPort, streams: Streams, parameters: readonly string[]): Shell => ({
  port,
  variables: new Map(
    Object.entries(port.environment).map(([name, value]) => [name, { value, isExported: true }]),
  ),
  functions: new Map(),
  traps: new Map(),
  jobs: new Map(),
  progress: { commands: 0, received: [], waiting: new Set() },
  isSubshell: false,
  streams,
  parameters,
  folder: port.folder,
  lastCode: 0,
  capturedCode: 0,
  lastJob: undefined,
  line: 1,
  exitsOnError: false,
  refusesUnset: false,
  expandsNames: true,
  conditions: 0,
  loops: 0,
  locals: [],
})

/** Changes of a subshell do not leave it. It has no traps. */
export const createSubshell = (shell: Shell, streams: Streams): Shell => ({
  ...shell,
  variables: new Map(shell.variables),
  functions: new Map(shell.functions),
  traps: new Map(),
  jobs: new Map(),
  isSubshell: true,
  streams,
  locals: shell.locals.map((saved) => new Map(saved)),
})

export const setVariable = (shell: Shell, name: string, value: string): void => {
  const isExported = shell.variables.get(name)?.isExported ?? false
  shell.variables.set(name, { value, isExported })
}

export const environmentOf = ({ variables }: Shell): Record<string, string> =>
  Object.fromEntries(
    [...variables].filter(([, { isExported }]) => isExported).map(([name, { value }]) => [name, value]),
  )

/** Undefined for a parameter that is not set. */
export const parameterValue = (shell: Shell, name: string): string | undefined => {
  const { parameters, port } = shell
  if (/^[A-Za-z_]/.test(name)) {
    const value = shell.variables.get(name)?.value
    if (value === undefined && name === 'PWD') return port.files === undefined ? undefined : shell.folder
    if (value === undefined && port.unknownVariables?.has(name))
      throw new UnsupportedCommand(`the variable $${name}`)
    return value
  }
  if (name === '0') return port.name
  if (/^\d+$/.test(name)) return parameters[Number(name) - 1]
  switch (name) {
    case '?':
      return String(shell.lastCode)
    case '#':
      return String(parameters.length)
    case '@':
    case '*':
      return parameters.length === 0 ? undefined : parameters.join(' ')
    case '!':
      return shell.lastJob === undefined ? undefined : String(shell.lastJob)
    case '$':
      if (port.processes !== undefined) return String(port.processes.id)
      break
  }
  throw new UnsupportedCommand(`the parameter $${name}`)
}

/** Prints a message of the shell. */
export const complain = (shell: Shell, streams: Streams, message: string): void =>
  streams.err(`${shell.port.name}: ${shell.line}: ${message}\n`)

/** Gives variables their earlier values; those that did not exist are removed. */
export const restoreVariables = ({ variables }: Shell, saved: Shell['locals'][number]): void => {
  for (const [name, variable] of saved) {
    if (variable === undefined) variables.delete(name)
    else variables.set(name, variable)
  }
}
