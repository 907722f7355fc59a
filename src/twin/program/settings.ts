/** What a process takes from its environment and files at start, evaluated once. */
import { createExpressions, type Expressions } from '../../expressions/index.ts'
import type { LogLevel, ServiceSlice } from '../../spec/index.ts'
import { readConfig } from './read-files.ts'
import { StartFailure } from './start-failure.ts'

export interface Settings {
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** Of the container. */
  readonly args: readonly string[]
  readonly config: Readonly<Record<string, unknown>>
  readonly expressions: Expressions
  /** The one to listen on. */
  readonly port: number
  readonly level: LogLevel
  /** At the level `trace`, which has its lines in a file. */
  readonly traces: boolean
  readonly tokenKey: string | undefined
  /** Rejects as a start does: `where` is the place in the service. */
  evaluate(source: string, where: string): unknown
  number(source: string, where: string): number
}

const USUAL_PORT = '8080'

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  critical: 'error',
}

/** Of no importance to anybody who would have to guess them. */
const uuid = (): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(Math.random() * 16).toString(16))

const checkRequired = (required: readonly string[], env: Readonly<Record<string, string>>): void => {
  for (const name of required)
    if ((env[name] ?? '') === '') throw new StartFailure(`environment variable "${name}" not set`)
}

export const readSettings = (
  slice: ServiceSlice,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Settings => {
  const { behaviour, service } = slice
  checkRequired(behaviour.required ?? [], env)
  const config = readConfig(behaviour.files)
  let tokenKey: string | undefined
  const expressions = createExpressions({
    random: Math.random,
    now: Date.now,
    uuid,
    tokenKey: () => {
      if (tokenKey === undefined) throw new StartFailure('there is no key to sign tokens with')
      return tokenKey
    },
  })
  const evaluate = (source: string, where: string): unknown => {
    try {
      return expressions.compileExpression(source, `${service}.${where}`)({ env, config, state: {} })
    } catch (error) {
      throw new StartFailure((error as Error).message)
    }
  }
  const number = (source: string, where: string): number => {
    const value = Number(evaluate(source, where))
    if (Number.isFinite(value)) return value
    throw new StartFailure(`${service}.${where}: ${JSON.stringify(evaluate(source, where))} is not a number`)
  }
  const port = number(behaviour.listen ?? USUAL_PORT, 'listen')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartFailure(`listen tcp: invalid port ${port}`)
  tokenKey = behaviour.tokenKey === undefined ? undefined : String(evaluate(behaviour.tokenKey, 'tokenKey'))
  const level = behaviour.logLevel === undefined ? 'info' : String(evaluate(behaviour.logLevel, 'logLevel'))
  return {
    slice,
    env,
    args,
    config,
    expressions,
    port,
    tokenKey,
    level: LEVELS[level.toLowerCase()] ?? 'info',
    traces: level.toLowerCase() === 'trace',
    evaluate,
    number,
  }
}
