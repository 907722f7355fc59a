/** The settings of a service, evaluated once at start from its environment and files. */

import type { LogLevel, ServiceSlice } from '#spec'
import type { ExpressionSources } from '#world/expressions'
import type { CompiledBehaviour } from '#world/twin/behaviour'
import type { TwinHost } from '#world/twin/ports'
import { createSlowHash } from './create-slow-hash.ts'
import { readConfig } from './read-files.ts'
import { StartFailure } from './start-failure.ts'

export interface Settings {
  readonly slice: ServiceSlice
  readonly env: Readonly<Record<string, string>>
  /** The arguments of the container. */
  readonly args: readonly string[]
  readonly config: Readonly<Record<string, unknown>>
  /** The time and randomness of expressions. */
  readonly sources: ExpressionSources
  /** Resolves when the CPU work that expressions have started since the last call has ended; undefined if there is none. */
  readonly takePendingWork: () => Promise<void> | undefined
  /** The port to listen on. */
  readonly port: number
  readonly level: LogLevel
  /** Whether the log level is `trace`, whose lines go to a file. */
  readonly isTraceLevel: boolean
  readonly tokenKey: string | undefined
  /** Throws a StartFailure if the expression fails; `location` is its path within the service. */
  evaluate(source: string, location: string): unknown
  /** Also throws a StartFailure if the value is not a number. */
  evaluateNumber(source: string, location: string): number
}

const DEFAULT_PORT = '8080'

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

/** Not for secrets: the values are predictable. */
const createUuid = ({ random }: TwinHost): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(random.next() * 16).toString(16))

const checkRequired = (required: readonly string[], env: Readonly<Record<string, string>>): void => {
  for (const name of required)
    if ((env[name] ?? '') === '') throw new StartFailure(`environment variable "${name}" not set`)
}

export const readSettings = (
  { slice, expressions }: CompiledBehaviour,
  host: TwinHost,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Settings => {
  const { behaviour, service } = slice
  checkRequired(behaviour.required ?? [], env)
  const config = readConfig(host.files, behaviour.files)
  let tokenKey: string | undefined
  const { slowHash, takePendingWork } = createSlowHash(host.cpu)
  const sources: ExpressionSources = {
    random: () => host.random.next(),
    now: () => Math.floor(host.time.now()),
    uuid: () => createUuid(host),
    slowHash,
    tokenKey: () => {
      if (tokenKey === undefined) throw new StartFailure('tokenKey is not set; cannot sign tokens')
      return tokenKey
    },
  }
  const evaluate = (source: string, location: string): unknown => {
    try {
      const evaluateSource = expressions.compileExpression(source, `${service}.${location}`)
      return evaluateSource({ env, config, state: {} }, sources)
    } catch (error) {
      throw new StartFailure((error as Error).message)
    }
  }
  const evaluateNumber = (source: string, location: string): number => {
    const value = Number(evaluate(source, location))
    if (Number.isFinite(value)) return value
    throw new StartFailure(
      `${service}.${location}: ${JSON.stringify(evaluate(source, location))} is not a number`,
    )
  }
  const port = evaluateNumber(behaviour.listen ?? DEFAULT_PORT, 'listen')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartFailure(`listen tcp: invalid port ${port}`)
  tokenKey = behaviour.tokenKey === undefined ? undefined : String(evaluate(behaviour.tokenKey, 'tokenKey'))
  const level = behaviour.logLevel === undefined ? 'info' : String(evaluate(behaviour.logLevel, 'logLevel'))
  return {
    slice,
    env,
    args,
    config,
    sources,
    takePendingWork,
    port,
    tokenKey,
    level: LEVELS[level.toLowerCase()] ?? 'info',
    isTraceLevel: level.toLowerCase() === 'trace',
    evaluate,
    evaluateNumber,
  }
}
