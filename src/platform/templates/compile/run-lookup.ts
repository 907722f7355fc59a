/** `lookup(...)`: supports lookups that use only the play and its environment. */
import { memberOf } from '#kit'
import { splitSpace } from '../python/characters.ts'
import { PythonError } from '../python/python-error.ts'
import { toText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { isString, type Keywords, plainCharactersOf } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { noteUnsafe } from '../work.ts'
import type { Context } from './frame.ts'

type Lookup = (context: Context, terms: readonly unknown[], options: Keywords) => unknown[]

const undefinedVariable = (message: string): PythonError =>
  new PythonError('AnsibleUndefinedVariable', message)

const checkOptions = (name: string, options: Keywords, known: readonly string[]): void => {
  for (const option of options.keys())
    if (!known.includes(option)) throw new UnsupportedTemplate(`the option ${option} of the lookup ${name}`)
}

const lookupVariables: Lookup = (context, terms, options) => {
  checkOptions('vars', options, ['default'])
  const fallback = options.get('default') ?? null
  return terms.map((term) => {
    if (!isString(term))
      throw new PythonError(
        'AnsibleError',
        `Invalid setting identifier, "${toText(term)}" is not a string, its a <class '${typeName(term)}'>`,
      )
    const name = plainCharactersOf(term)
    try {
      if (!Object.hasOwn(context.variables, name))
        throw undefinedVariable(`No variable found with this name: ${name}`)
      return context.render(context.variables[name])
    } catch (error) {
      if (error instanceof PythonError && error.isUndefined && fallback !== null) return fallback
      throw error
    }
  })
}

const lookupEnvironment: Lookup = ({ environment }, terms, options) => {
  checkOptions('env', options, ['default'])
  const fallback = options.get('default') ?? ''
  return terms.map((term) => {
    const name = isString(term) ? splitSpace(plainCharactersOf(term))[0] : undefined
    if (name === undefined) throw new UnsupportedTemplate('the lookup env without the name of a variable')
    const value = memberOf(environment, name) ?? fallback
    if (value instanceof Undefined)
      throw undefinedVariable(`The "env" lookup, found an undefined variable: ${name}`)
    return value
  })
}

const LOOKUPS: Readonly<Record<string, Lookup>> = { env: lookupEnvironment, vars: lookupVariables }

/** Joins strings with commas. Returns a single value of another type unchanged. */
const joined = (results: readonly unknown[]): unknown => {
  if (results.every(isString)) return results.map((result) => plainCharactersOf(result)).join(',')
  return results.length === 1 ? results[0] : results
}

/** The caller must not render the results again. */
export const runLookup = (
  context: Context,
  name: string,
  terms: readonly unknown[],
  keywords: Keywords,
): unknown => {
  const short = name.replace(/^ansible\.(?:builtin|legacy)\./, '')
  const run = Object.hasOwn(LOOKUPS, short) ? LOOKUPS[short] : undefined
  if (run === undefined) throw new UnsupportedTemplate(`the lookup ${name}`)
  const wantsList = isTruthy(keywords.get('wantlist') ?? false)
  if (keywords.has('errors') || keywords.has('allow_unsafe'))
    throw new UnsupportedTemplate('the options errors and allow_unsafe of lookups')
  const options = new Map([...keywords].filter(([option]) => option !== 'wantlist'))
  const results = run(
    context,
    terms.map((term) => context.render(term)),
    options,
  )
  if (results.length === 0) return []
  noteUnsafe()
  context.markUnsafe()
  return wantsList ? results : joined(results)
}
