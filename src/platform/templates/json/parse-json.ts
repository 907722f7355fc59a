/** Parses JSON as `json.loads` does: preserves the order of keys, and distinguishes ints from floats. */
import { Dict } from '../python/dict.ts'
import { PythonError } from '../python/python-error.ts'
import { toFloat, toInt } from '../python/value.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend } from '../work.ts'

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them
const STRING = /"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"/y
const WORDS: Readonly<Record<string, unknown>> = { null: null, true: true, false: false }

class JsonReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): unknown {
    const value = this.#value(0)
    this.#space()
    if (this.#position < this.#text.length) this.#fail('Extra data')
    return value
  }

  #fail(message: string): never {
    const before = this.#text.slice(0, this.#position)
    const line = before.split('\n').length
    const column = this.#position - before.lastIndexOf('\n')
    throw new PythonError(
      'JSONDecodeError',
      `${message}: line ${line} column ${column} (char ${this.#position})`,
    )
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    const match = pattern.exec(this.#text)
    if (match !== null) this.#position = pattern.lastIndex
    return match
  }

  #space(): void {
    this.#match(SPACE)
  }

  #take(character: string): boolean {
    this.#space()
    if (this.#text[this.#position] !== character) return false
    this.#position += 1
    return true
  }

  #value(depth: number): unknown {
    spend(1)
    checkDepth(depth)
    this.#space()
    if (this.#take('{')) return this.#object(depth)
    if (this.#take('[')) return this.#list(depth)
    if (this.#text[this.#position] === '"') return this.#string()
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.#text.startsWith(word, this.#position)) continue
      this.#position += word.length
      return value
    }
    return this.#number()
  }

  #number(): unknown {
    if (/^-?Infinity|^NaN/.test(this.#text.slice(this.#position, this.#position + 9)))
      throw new UnsupportedTemplate('infinite numbers and NaN')
    const match = this.#match(NUMBER)
    if (match === null) this.#fail('Expecting value')
    const [text, fraction, exponent] = match
    if (fraction !== undefined || exponent !== undefined) return toFloat(Number(text))
    if (text.length > 4300) throw new UnsupportedTemplate('numbers of more than 4300 digits')
    return toInt(BigInt(text))
  }

  #string(): string {
    const start = this.#position
    const match = this.#match(STRING)
    if (match === null) {
      this.#position = start
      return this.#fail('Invalid string')
    }
    const value = JSON.parse(match[0]) as string
    if (!value.isWellFormed()) throw new UnsupportedTemplate('text with unpaired surrogates')
    return value
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = []
    if (this.#take(']')) return items
    do items.push(this.#value(depth + 1))
    while (this.#take(','))
    if (!this.#take(']')) this.#fail("Expecting ',' delimiter")
    return items
  }

  #object(depth: number): Dict {
    const dict = new Dict()
    if (this.#take('}')) return dict
    do {
      this.#space()
      if (this.#text[this.#position] !== '"') this.#fail('Expecting property name enclosed in double quotes')
      const key = this.#string()
      if (!this.#take(':')) this.#fail("Expecting ':' delimiter")
      dict.set(key, this.#value(depth + 1))
    } while (this.#take(','))
    if (!this.#take('}')) this.#fail("Expecting ',' delimiter")
    return dict
  }
}

export const parseJson = (text: string): unknown => {
  if (text.startsWith('\ufeff'))
    throw new PythonError(
      'JSONDecodeError',
      'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)',
    )
  return new JsonReader(text).read()
}
