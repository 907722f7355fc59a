/** Creates the context of a running template: variables, filters and tests by name. */
import { type Context, MISSING } from './compile/frame.ts'
import { globalFunction } from './compile/globals.ts'
import { PLUGINS } from './compile/plugin-registry.ts'
import { LazyVariables } from './lazy-variables.ts'
import { valueError } from './python/python-error.ts'
import { isTruthy } from './python/truth.ts'
import { className } from './python/type-name.ts'
import { isString, type Keywords, plainCharactersOf } from './python/value.ts'
import { UnsupportedTemplate } from './template-error.ts'

/** The settings that all evaluations share. */
export interface EvaluationSources {
  now(): number
  readonly environment: Readonly<Record<string, string>> | undefined
  readonly omit: string
}

export interface Rendered {
  readonly value: unknown
  /** Whether the value must not be rendered again. */
  readonly isUnsafe: boolean
}

interface ContextSources {
  readonly sources: EvaluationSources
  readonly variables: Readonly<Record<string, unknown>>
  /** The rendered value of a variable; undefined if there is none. */
  resolve(name: string): Rendered | undefined
  render(value: unknown): unknown
  /** The value of a variable before rendering. */
  raw(name: string): unknown
  /** Records that the result must not be rendered again. */
  markUnsafe(): void
}

const pluginName = (name: unknown): string => {
  if (isString(name)) return plainCharactersOf(name)
  throw valueError(`key must be a string, got ${className(name)} instead`)
}

/** The names that are no variables of the play. */
const builtIn = ({ sources, raw }: ContextSources, context: Context, name: string): unknown => {
  if (name === 'omit') return sources.omit
  if (name === 'vars') return new LazyVariables('dict', undefined, raw)
  return globalFunction(context, name) ?? MISSING
}

/** The variables and plugins of one run of a template. */
export const createContext = (evaluation: ContextSources): Context => {
  const { sources, markUnsafe } = evaluation
  const { environment } = sources
  const context: Context = {
    resolve: (name) => {
      const resolved = evaluation.resolve(name)
      if (resolved === undefined) return builtIn(evaluation, context, name)
      if (resolved.isUnsafe) markUnsafe()
      return resolved.value
    },
    callFilter: (name, value, args: readonly unknown[], keywords: Keywords) =>
      PLUGINS.filter(pluginName(name))(context, value, args, keywords),
    callTest: (name, value, args, keywords) =>
      isTruthy(PLUGINS.test(pluginName(name))(context, value, args, keywords)),
    now: () => sources.now(),
    get environment() {
      if (environment === undefined) throw new UnsupportedTemplate('the lookup env')
      return environment
    },
    render: evaluation.render,
    variables: evaluation.variables,
    markUnsafe,
  }
  return context
}
