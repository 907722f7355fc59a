/** One evaluation: renders strings with the variables of a play, as Ansible's `Templar` does. */
import { isPlainObject } from '#kit'
import { concatenate } from './compile/concatenate.ts'
import type { Context } from './compile/frame.ts'
import { createContext, type EvaluationSources, type Rendered } from './create-context.ts'
import { hostVariables, type LazyVariables } from './lazy-variables.ts'
import { PythonError } from './python/python-error.ts'
import { reprText, toText } from './python/repr.ts'
import { Undefined } from './python/undefined.ts'
import { Float } from './python/value.ts'
import { UnsupportedTemplate } from './template-error.ts'
import { templateSource } from './template-source.ts'
import { toTemplatingError } from './templating-error.ts'
import { UnsafeValue } from './unsafe-value.ts'
import { isPossiblyTemplate, renderStructure } from './variables.ts'
import { checkDepth, noteUnsafe, spend } from './work.ts'

const SINGLE_VARIABLE = /^\{\{\s*(\w*)\s*\}\}\n?$/

const trailingNewlines = (text: string): number => /\n*$/.exec(text)![0].length

const unwrap = (value: unknown): unknown => (value instanceof UnsafeValue ? value.value : value)

export class Evaluation {
  readonly #sources: EvaluationSources
  readonly #variables: Readonly<Record<string, unknown>>
  readonly #resolved = new Map<string, Rendered>()
  readonly #resolving = new Set<string>()

  constructor(sources: EvaluationSources, variables: Readonly<Record<string, unknown>>) {
    this.#sources = sources
    this.#variables = variables
  }

  /** Renders all strings in a value. Throws PythonError. */
  render(value: unknown, keepsUndefined = false): Rendered {
    let isUnsafe = false
    const rendered = renderStructure(
      value,
      (text) => {
        const result = this.renderText(text, keepsUndefined)
        isUnsafe ||= result.isUnsafe
        return result.value
      },
      ({ value: inner }) => {
        noteUnsafe()
        isUnsafe = true
        return inner
      },
    )
    return { value: rendered, isUnsafe }
  }

  /** A variable that is a number, a boolean or None keeps its type if it is the whole template. */
  #singleVariable(text: string): unknown {
    const name = SINGLE_VARIABLE.exec(text)?.[1]
    if (name === undefined || !Object.hasOwn(this.#variables, name)) return undefined
    const value = unwrap(this.#variables[name])
    const keepsType =
      value === null || value instanceof Float || /^(?:boolean|number|bigint)$/.test(typeof value)
    return keepsType ? value : undefined
  }

  renderText(text: string, keepsUndefined = false): Rendered {
    if (!isPossiblyTemplate(text)) return { value: text, isUnsafe: false }
    const single = this.#singleVariable(text)
    if (single !== undefined) return { value: single, isUnsafe: false }
    try {
      return this.#run(text)
    } catch (error) {
      if (keepsUndefined && error instanceof PythonError && error.isUndefined)
        return { value: text, isUnsafe: false }
      throw error
    }
  }

  #run(text: string): Rendered {
    spend(1)
    const { source, run } = templateSource(text)
    let isUnsafe = false
    try {
      const value = concatenate(run(this.#context(() => (isUnsafe = true))))
      return { value: typeof value === 'string' ? this.#restoreNewlines(text, value) : value, isUnsafe }
    } catch (error) {
      throw error instanceof PythonError ? toTemplatingError(error, source) : error
    }
  }

  /** Jinja drops line breaks at the end of a template. */
  #restoreNewlines(text: string, result: string): string {
    const missing = trailingNewlines(text) - trailingNewlines(result)
    return missing > 0 ? result + '\n'.repeat(missing) : result
  }

  #context(markUnsafe: () => void): Context {
    return createContext({
      sources: this.#sources,
      variables: this.#variables,
      resolve: (name) => this.#resolve(name),
      render: (value) => this.render(value).value,
      raw: (name) => this.#raw(name),
      markUnsafe,
    })
  }

  /** The rendered value of a variable; undefined if there is none. */
  #resolve(name: string): Rendered | undefined {
    const known = this.#resolved.get(name)
    if (known !== undefined) return known
    if (!Object.hasOwn(this.#variables, name)) return undefined
    const raw = this.#variables[name]
    if (raw instanceof UnsafeValue) noteUnsafe()
    const resolved =
      raw instanceof UnsafeValue
        ? { value: raw.value, isUnsafe: true }
        : name === 'hostvars' && isPlainObject(raw)
          ? { value: this.#hostVariables(raw), isUnsafe: false }
          : this.#renderVariable(name, raw)
    this.#resolved.set(name, resolved)
    return resolved
  }

  /** Other hosts have separate variables, whose undefined parts stay unchanged. */
  #hostVariables(hosts: Readonly<Record<string, unknown>>): LazyVariables {
    return hostVariables(hosts, (variables) => (name) => {
      if (!isPlainObject(variables) || !Object.hasOwn(variables, name)) return undefined
      if (name === 'hostvars') throw new UnsupportedTemplate('hostvars inside hostvars')
      return new Evaluation(this.#sources, variables).render(variables[name], true).value
    })
  }

  /** The value of a variable before rendering. */
  #raw(name: string): unknown {
    if (name === 'omit') return this.#sources.omit
    if (!Object.hasOwn(this.#variables, name)) return undefined
    noteUnsafe()
    return renderStructure(
      this.#variables[name],
      (text) => text,
      ({ value }) => value,
    )
  }

  #renderVariable(name: string, raw: unknown): Rendered {
    if (this.#resolving.has(name))
      throw new PythonError('AnsibleError', `recursive loop detected in template string: ${toText(raw)}`)
    this.#resolving.add(name)
    checkDepth(this.#resolving.size)
    try {
      return this.render(raw)
    } catch (error) {
      if (!(error instanceof PythonError)) throw error
      // An undefined value fails when it is used.
      if (error.isUndefined) {
        const hint = `${toText(raw)}: ${error.message}`
        return { value: new Undefined({ hint, name, nameRepr: reprText(name) }), isUnsafe: false }
      }
      throw new PythonError(
        'AnsibleError',
        `An unhandled exception occurred while templating '${toText(raw)}'. ` +
          `Error was a ${error.className}, original message: ${error.message}`,
      )
    } finally {
      this.#resolving.delete(name)
    }
  }
}
