/** The state of a running script, its streams, and the errors by which a command ends it. */

import { UnsupportedCommand } from '#spec'
import type { CommandOptions, Program } from '../command-context.ts'

/** The end of the script by `exit`, or by `set -e`. */
export class ShellExit extends Error {
  readonly code: number

  constructor(code: number) {
    super()
    this.code = code
  }
}

export class LoopJump extends Error {
  readonly type: 'break' | 'continue'

  constructor(type: 'break' | 'continue') {
    super()
    this.type = type
  }
}

export type Write = (text: string) => void

/** The streams of a command. The input is shared, so that `read` takes one line after the other. */
export interface Streams {
  readonly input: { text: string }
  readonly out: Write
  readonly err: Write
}

export interface ScriptOptions extends CommandOptions {
  readonly signal: AbortSignal
  findProgram(name: string): Program
}

export interface Shell {
  readonly options: ScriptOptions
  readonly variables: Map<string, string>
  lastCode: number
  /** How many commands have run. */
  commands: number
  exitsOnError: boolean
  /** Nesting of conditions, in which failures do not end the script. */
  conditions: number
}

export const createShell = (options: ScriptOptions): Shell => ({
  options,
  variables: new Map(),
  lastCode: 0,
  commands: 0,
  exitsOnError: false,
  conditions: 0,
})

/** Variables of the environment, whose values are not modelled. */
const ENVIRONMENT = new Set('HOME PATH PWD USER HOSTNAME KUBECONFIG SHELL TMPDIR IFS LANG'.split(' '))

/** Undefined for a parameter that is not set. */
export const parameterValue = ({ variables, lastCode }: Shell, name: string): string | undefined => {
  if (name === '?') return String(lastCode)
  if (name === '#') return '0'
  if (name === '@' || name === '*' || /^[1-9]$/.test(name)) return undefined
  if (!/^[A-Za-z_]/.test(name)) throw new UnsupportedCommand(`the parameter $${name}`)
  const value = variables.get(name)
  if (value === undefined && ENVIRONMENT.has(name)) throw new UnsupportedCommand(`the variable $${name}`)
  return value
}
