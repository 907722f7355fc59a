/** Generates templates from small pieces without regard to types: tokens, literals, formats, regular expressions, YAML. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '#kit'
import type { Case } from './case.ts'

/** The pieces: fragments of templates, regular expressions and YAML. */
const PIECES = JSON.parse(readFileSync(join(import.meta.dirname, 'pieces.json'), 'utf8')) as Readonly<
  Record<string, readonly string[]>
>
const piecesOf = (name: string): readonly string[] => PIECES[name]!
const TOKENS = piecesOf('tokens')
const TAGS = piecesOf('tags')
const LITERALS = piecesOf('literals')
const PATTERNS = piecesOf('patterns')
const SUBJECTS = piecesOf('subjects')
const SCALARS = piecesOf('scalars')
const FORMATS = piecesOf('formats')
const NUMBERS = piecesOf('numbers')

class Fragments {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)]!
  }

  #some(items: readonly string[], max: number, separator = ''): string {
    return Array.from({ length: 1 + this.#random.below(max) }, () => this.#pick(items)).join(separator)
  }

  /** As a string of a template inside `{{ }}`, where backslashes are not escapes. */
  #quoted(text: string): string {
    return text.includes("'") ? `"${text.replaceAll('"', "'")}"` : `'${text}'`
  }

  #literal(depth: number): string {
    const inner = (): string => this.#literal(depth - 1)
    if (depth <= 0) return this.#pick(LITERALS)
    return this.#pick([
      () => `[${inner()}, ${inner()}]`,
      () => `{${inner()}: ${inner()}}`,
      () => `(${inner()}, ${inner()})`,
      () => `[${inner()}${this.#pick(['', ',', ' ', '\n'])}]`,
      () => this.#pick(LITERALS),
    ])()
  }

  #regular(): string {
    const [pattern, subject] = [this.#some(PATTERNS, 5), this.#pick(SUBJECTS)].map((text) =>
      this.#quoted(text),
    )
    const option = this.#pick(['', '', ', ignorecase=true', ', multiline=true'])
    return this.#pick([
      `{{ ${subject} | regex_findall(${pattern}${option}) }}`,
      `{{ ${subject} | regex_search(${pattern}${option}) }}`,
      `{{ ${subject} | regex_replace(${pattern}, ${this.#pick(["'-'", "'<\\\\1>'", "''", "'\\\\g<0>!'"])}${option}) }}`,
      `{{ ${subject} is match(${pattern}${option}) }}`,
      `{{ ${subject} is search(${pattern}${option}) }}`,
    ])
  }

  #yaml(): string {
    const text = (): string => JSON.stringify(this.#some(SCALARS, 2))
    const set = `{% set v = ${this.#pick([
      () => text(),
      () => `[${text()}, ${text()}]`,
      () => `{${text()}: ${text()}, 'k': [${text()}, {'m': ${text()}}]}`,
      () => `[[${text()}], {'a': [${text()}], 'b': {}}]`,
    ])()} %}`
    const filter = this.#pick([
      'to_yaml',
      'to_nice_yaml',
      'to_nice_yaml(indent=2)',
      'to_json',
      'to_nice_json',
      'string',
    ])
    const back = filter.includes('yaml') && this.#random.below(3) === 0 ? ' | from_yaml' : ''
    return `${set}{{ v | ${filter}${back} }}`
  }

  #number(): string {
    const [a, b] = [this.#pick(NUMBERS), this.#pick(NUMBERS)]
    return this.#pick([
      `{{ (${a}) ${this.#pick(['+', '-', '*', '/', '//', '%'])} (${b}) }}`,
      `{{ (${a}) | round(${this.#random.below(5) - 1}${this.#pick(['', ", 'ceil'", ", 'floor'"])}) }}`,
      `{{ [${a}, ${b}] }}`,
      `{{ (${a}) ${this.#pick(['<', '==', '>='])} (${b}) }}`,
      `{{ ${this.#quoted(this.#some(FORMATS, 3, ' '))} % (${a}, ${b}) }}`,
      `{{ ${this.#quoted(this.#some(FORMATS, 3, ' '))}.format(${a}, ${b}, a='q') }}`,
      `{{ ${this.#quoted(this.#some(FORMATS, 2, ' '))} % (${a}) }}`,
      `{{ (${a}) | ${this.#pick(['int', 'float', 'string', 'human_readable', 'abs', 'to_json', 'to_yaml', 'bool'])} }}`,
    ])
  }

  next(): Case {
    const text = this.#pick([
      () => `{{ ${this.#some(TOKENS, 6, ' ')} }}`,
      () => `{{ ${this.#some(TOKENS, 4)} }}`,
      () => this.#some(TAGS, 7),
      () => this.#literal(3) + this.#pick(['{{ "" }}', '{# #}', ' {{ "" }}']),
      () => this.#regular(),
      () => this.#yaml(),
      () => this.#number(),
    ])()
    return { kind: 'render', text }
  }
}

export const generateFragments = (random: Random, count: number): Case[] => {
  const fragments = new Fragments(random)
  return Array.from({ length: count }, () => fragments.next())
}
