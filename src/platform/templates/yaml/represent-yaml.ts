/** Converts a value to the nodes of a YAML document, as the representer of PyYAML does. */
import { DateTime } from '../python/date-time.ts'
import { type AnyDict, DictView, dictEntries, isDict } from '../python/dict.ts'
import { floatText } from '../python/float-text.ts'
import { PythonError } from '../python/python-error.ts'
import { intText, repr } from '../python/repr.ts'
import { sortBy } from '../python/sort.ts'
import { typeName } from '../python/type-name.ts'
import { Undefined } from '../python/undefined.ts'
import { charactersOf, floatValue, isFloat, isInt, isString, Range, Tuple } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth } from '../work.ts'
import type { YamlLayout } from './yaml-layout.ts'

export type YamlTree =
  | { readonly type: 'scalar'; readonly text: string; readonly isText: boolean }
  | { readonly type: 'list'; readonly items: readonly YamlTree[]; readonly isFlow: boolean }
  | {
      readonly type: 'dict'
      readonly pairs: readonly (readonly [YamlTree, YamlTree])[]
      readonly isFlow: boolean
    }

const cannotRepresent = (value: unknown): PythonError =>
  new PythonError('YAMLError', `('cannot represent an object', ${repr(value)})`)

const plain = (text: string): YamlTree => ({ type: 'scalar', text, isText: false })

/** The nodes of a document: the representer. */
class Representer {
  readonly #layout: YamlLayout
  readonly #seen = new Set<unknown>()

  constructor(layout: YamlLayout) {
    this.#layout = layout
  }

  represent(value: unknown, depth = 0): YamlTree {
    checkDepth(depth)
    if (isString(value)) return { type: 'scalar', text: charactersOf(value), isText: true }
    if (value === null || value === undefined) return plain('null')
    if (typeof value === 'boolean') return plain(value ? 'true' : 'false')
    if (isInt(value)) return plain(intText(value === 0 ? 0 : value))
    if (isFloat(value)) {
      const text = floatText(floatValue(value))
      return plain(text.includes('.') ? text : text.replace('e', '.0e'))
    }
    if (value instanceof DateTime) return plain(value.text(' '))
    if (value instanceof Undefined) value.fail()
    if (typeof value === 'object') this.#see(value)
    if (value instanceof Tuple && value.fields.length > 0) throw cannotRepresent(value)
    const items = value instanceof Tuple ? value.items : value
    if (Array.isArray(items)) return this.#list(items, depth)
    if (isDict(value)) return this.#dict(value, depth)
    if (value instanceof Range || value instanceof DictView) throw cannotRepresent(value)
    throw new UnsupportedTemplate(`YAML of a value of the type ${typeName(value)}`)
  }

  /** PyYAML writes some repeated values as aliases, depending on copies that Ansible made. */
  #see(value: object): void {
    if (value instanceof Tuple && value.items.length === 0) return
    // Python shares equal constant tuples.
    const identity = value instanceof Tuple ? repr(value) : value
    if (this.#seen.has(identity))
      throw new UnsupportedTemplate('YAML of a list or dictionary that occurs twice')
    this.#seen.add(identity)
  }

  #isFlow(children: readonly YamlTree[]): boolean {
    return this.#layout.flow ?? children.every((child) => child.type === 'scalar')
  }

  #list(values: readonly unknown[], depth: number): YamlTree {
    const items = values.map((value) => this.represent(value, depth + 1))
    return { type: 'list', items, isFlow: items.length === 0 || this.#isFlow(items) }
  }

  #sorted(dict: AnyDict): [unknown, unknown][] {
    const entries = dictEntries(dict)
    if (!this.#layout.sortsKeys) return entries
    try {
      return sortBy(entries, (entry) => (entry as [unknown, unknown])[0], false) as [unknown, unknown][]
    } catch (error) {
      // Keys that cannot be compared keep their order.
      if (error instanceof PythonError && error.kind === 'TypeError') return entries
      throw error
    }
  }

  #dict(dict: AnyDict, depth: number): YamlTree {
    const pairs = this.#sorted(dict).map(
      ([key, value]) => [this.represent(key, depth + 1), this.represent(value, depth + 1)] as const,
    )
    return { type: 'dict', pairs, isFlow: pairs.length === 0 || this.#isFlow(pairs.flat()) }
  }
}

/** Throws a PythonError for values that PyYAML cannot represent. */
export const representYaml = (value: unknown, layout: YamlLayout): YamlTree =>
  new Representer(layout).represent(value)
