/** Writes YAML as `yaml.dump` does with libyaml's emitter. */
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
import { type ScalarStyle, styleOf } from './scalar-style.ts'
import { YamlWriter } from './yaml-writer.ts'

export interface YamlLayout {
  readonly indent: number
  readonly width: number
  readonly sortsKeys: boolean
  /** If undefined, collections of scalars are written on one line. */
  readonly flow: boolean | undefined
}

/** Longer keys are written with `?`. */
const MAX_SIMPLE_KEY = 100

type Tree =
  | { readonly type: 'scalar'; readonly text: string; readonly isText: boolean }
  | { readonly type: 'list'; readonly items: readonly Tree[]; readonly isFlow: boolean }
  | { readonly type: 'dict'; readonly pairs: readonly (readonly [Tree, Tree])[]; readonly isFlow: boolean }

const cannotRepresent = (value: unknown): PythonError =>
  new PythonError('YAMLError', `('cannot represent an object', ${repr(value)})`)

const plain = (text: string): Tree => ({ type: 'scalar', text, isText: false })

/** The nodes of a document: the representer. */
class Representer {
  readonly #layout: YamlLayout
  readonly #seen = new Set<unknown>()

  constructor(layout: YamlLayout) {
    this.#layout = layout
  }

  represent(value: unknown, depth = 0): Tree {
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

  #isFlow(children: readonly Tree[]): boolean {
    return this.#layout.flow ?? children.every((child) => child.type === 'scalar')
  }

  #list(values: readonly unknown[], depth: number): Tree {
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

  #dict(dict: AnyDict, depth: number): Tree {
    const pairs = this.#sorted(dict).map(
      ([key, value]) => [this.represent(key, depth + 1), this.represent(value, depth + 1)] as const,
    )
    return { type: 'dict', pairs, isFlow: pairs.length === 0 || this.#isFlow(pairs.flat()) }
  }
}

class Emitter {
  readonly #writer: YamlWriter
  readonly #indent: number
  #flowLevel = 0

  constructor({ indent, width }: YamlLayout) {
    this.#indent = indent < 2 || indent > 9 ? 2 : indent
    this.#writer = new YamlWriter(
      width >= 0 && width <= this.#indent * 2 ? 80 : width < 0 ? Number.MAX_SAFE_INTEGER : width,
    )
  }

  emit(tree: Tree): string {
    this.#node(tree, { isMapping: false, isSimpleKey: false })
    this.#writer.indent = -1
    this.#writer.writeIndent()
    return this.#writer.text
  }

  #indented(isFlow: boolean, isIndentless: boolean, write: () => void): void {
    const outer = this.#writer.indent
    if (outer < 0) this.#writer.indent = isFlow ? this.#indent : 0
    else if (!isIndentless) this.#writer.indent = outer + this.#indent
    write()
    this.#writer.indent = outer
  }

  #node(tree: Tree, context: { isMapping: boolean; isSimpleKey: boolean }): void {
    const isFlow = this.#flowLevel > 0 || (tree.type !== 'scalar' && tree.isFlow)
    if (tree.type === 'scalar') this.#scalar(tree, context.isSimpleKey)
    else if (tree.type === 'dict') this.#dict(tree.pairs, isFlow)
    else if (isFlow) this.#flowList(tree.items)
    else this.#blockList(tree.items, context.isMapping)
  }

  #scalar({ text, isText }: Extract<Tree, { type: 'scalar' }>, isSimpleKey: boolean): void {
    const style: ScalarStyle = isText ? styleOf(text, { isFlow: this.#flowLevel > 0, isSimpleKey }) : 'plain'
    this.#indented(true, false, () => this.#writer.writeScalar(text, style, !isSimpleKey))
  }

  #key(tree: Tree): void {
    const isSimple =
      tree.type === 'scalar' &&
      tree.text.length <= MAX_SIMPLE_KEY &&
      !/[\r\n\x85\u2028\u2029]/.test(tree.text)
    if (!isSimple) throw new UnsupportedTemplate('YAML with keys of many characters or several lines')
    this.#node(tree, { isMapping: true, isSimpleKey: true })
    this.#writer.writeIndicator(':', false)
  }

  #flow(brackets: string, writeItems: (beforeItem: () => void) => void): void {
    this.#writer.writeIndicator(brackets[0]!, true, true)
    this.#flowLevel += 1
    let isFirst = true
    this.#indented(true, false, () =>
      writeItems(() => {
        if (!isFirst) this.#writer.writeIndicator(',', false)
        isFirst = false
        if (this.#writer.isTooWide) this.#writer.writeIndent()
      }),
    )
    this.#flowLevel -= 1
    this.#writer.writeIndicator(brackets[1]!, false)
  }

  #flowList(items: readonly Tree[]): void {
    this.#flow('[]', (beforeItem) => {
      for (const item of items) {
        beforeItem()
        this.#node(item, { isMapping: false, isSimpleKey: false })
      }
    })
  }

  #dict(pairs: readonly (readonly [Tree, Tree])[], isFlow: boolean): void {
    if (isFlow) this.#flowDict(pairs)
    else this.#blockDict(pairs)
  }

  #flowDict(pairs: readonly (readonly [Tree, Tree])[]): void {
    this.#flow('{}', (beforeItem) => {
      for (const [key, value] of pairs) {
        beforeItem()
        this.#key(key)
        this.#node(value, { isMapping: true, isSimpleKey: false })
      }
    })
  }

  #blockList(items: readonly Tree[], isMapping: boolean): void {
    this.#indented(false, isMapping && !this.#writer.isIndenting, () => {
      for (const item of items) {
        this.#writer.writeIndent()
        this.#writer.writeIndicator('-', true, false, true)
        this.#node(item, { isMapping: false, isSimpleKey: false })
      }
    })
  }

  #blockDict(pairs: readonly (readonly [Tree, Tree])[]): void {
    this.#indented(false, false, () => {
      for (const [key, value] of pairs) {
        this.#writer.writeIndent()
        this.#key(key)
        this.#node(value, { isMapping: true, isSimpleKey: false })
      }
    })
  }
}

export const dumpYaml = (value: unknown, layout: YamlLayout): string =>
  new Emitter(layout).emit(new Representer(layout).represent(value))
