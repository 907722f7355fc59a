/** Writes the nodes of a YAML document, as the emitter of libyaml does. */
import { UnsupportedTemplate } from '../template-error.ts'
import type { YamlTree } from './represent-yaml.ts'
import { type ScalarStyle, styleOf } from './scalar-style.ts'
import type { YamlLayout } from './yaml-layout.ts'
import { YamlWriter } from './yaml-writer.ts'

/** Longer keys are written with `?`. */
const MAX_SIMPLE_KEY = 100

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

  emit(tree: YamlTree): string {
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

  #node(tree: YamlTree, context: { isMapping: boolean; isSimpleKey: boolean }): void {
    const isFlow = this.#flowLevel > 0 || (tree.type !== 'scalar' && tree.isFlow)
    if (tree.type === 'scalar') this.#scalar(tree, context.isSimpleKey)
    else if (tree.type === 'dict') this.#dict(tree.pairs, isFlow)
    else if (isFlow) this.#flowList(tree.items)
    else this.#blockList(tree.items, context.isMapping)
  }

  #scalar({ text, isText }: Extract<YamlTree, { type: 'scalar' }>, isSimpleKey: boolean): void {
    const style: ScalarStyle = isText ? styleOf(text, { isFlow: this.#flowLevel > 0, isSimpleKey }) : 'plain'
    this.#indented(true, false, () => this.#writer.writeScalar(text, style, !isSimpleKey))
  }

  #key(tree: YamlTree): void {
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

  #flowList(items: readonly YamlTree[]): void {
    this.#flow('[]', (beforeItem) => {
      for (const item of items) {
        beforeItem()
        this.#node(item, { isMapping: false, isSimpleKey: false })
      }
    })
  }

  #dict(pairs: readonly (readonly [YamlTree, YamlTree])[], isFlow: boolean): void {
    if (isFlow) this.#flowDict(pairs)
    else this.#blockDict(pairs)
  }

  #flowDict(pairs: readonly (readonly [YamlTree, YamlTree])[]): void {
    this.#flow('{}', (beforeItem) => {
      for (const [key, value] of pairs) {
        beforeItem()
        this.#key(key)
        this.#node(value, { isMapping: true, isSimpleKey: false })
      }
    })
  }

  #blockList(items: readonly YamlTree[], isMapping: boolean): void {
    this.#indented(false, isMapping && !this.#writer.isIndenting, () => {
      for (const item of items) {
        this.#writer.writeIndent()
        this.#writer.writeIndicator('-', true, false, true)
        this.#node(item, { isMapping: false, isSimpleKey: false })
      }
    })
  }

  #blockDict(pairs: readonly (readonly [YamlTree, YamlTree])[]): void {
    this.#indented(false, false, () => {
      for (const [key, value] of pairs) {
        this.#writer.writeIndent()
        this.#key(key)
        this.#node(value, { isMapping: true, isSimpleKey: false })
      }
    })
  }
}

export const emitYaml = (tree: YamlTree, layout: YamlLayout): string => new Emitter(layout).emit(tree)
