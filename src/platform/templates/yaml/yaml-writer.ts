/** Writes indicators and scalars of YAML with the line breaks of libyaml's emitter. */
import { toCharacters } from '../python/characters.ts'
import { growText } from '../work.ts'
import { isUnprintable, type ScalarStyle } from './scalar-style.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\xa0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

const escapeCharacter = (character: string): string => {
  const named = ESCAPES[character]
  if (named !== undefined) return named
  const hex = character.codePointAt(0)!.toString(16).toUpperCase()
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

export class YamlWriter {
  readonly #width: number
  readonly #parts: string[] = []
  #column = 0
  #length = 0
  #isAfterSpace = true
  #isIndenting = true
  /** The current indentation; -1 before the first collection. */
  indent = -1

  constructor(width: number) {
    this.#width = width
  }

  get text(): string {
    return this.#parts.join('')
  }

  get isTooWide(): boolean {
    return this.#column > this.#width
  }

  get isIndenting(): boolean {
    return this.#isIndenting
  }

  #put(text: string, width = text.length): void {
    this.#parts.push(text)
    this.#column += width
    this.#length += text.length
    growText(this.#length)
  }

  #break(): void {
    this.#put('\n', 0)
    this.#column = 0
  }

  /** Begins a line at the current indentation, unless the position is already there. */
  writeIndent(): void {
    const indent = Math.max(this.indent, 0)
    if (!this.#isIndenting || this.#column > indent || (this.#column === indent && !this.#isAfterSpace))
      this.#break()
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column))
    this.#isAfterSpace = true
    this.#isIndenting = true
  }

  writeIndicator(text: string, needsSpace: boolean, isSpace = false, isIndention = false): void {
    if (needsSpace && !this.#isAfterSpace) this.#put(' ')
    this.#put(text)
    this.#isAfterSpace = isSpace
    this.#isIndenting = this.#isIndenting && isIndention
  }

  writeScalar(text: string, style: ScalarStyle, mayBreak: boolean): void {
    if (style === 'plain') this.#plain(text, mayBreak)
    else if (style === 'single') this.#single(text, mayBreak)
    else this.#double(text, mayBreak)
  }

  #plain(text: string, mayBreak: boolean): void {
    if (!this.#isAfterSpace && text !== '') this.#put(' ')
    this.#folded(toCharacters(text), mayBreak, false)
    this.#isAfterSpace = false
    this.#isIndenting = false
  }

  #single(text: string, mayBreak: boolean): void {
    this.writeIndicator("'", true)
    const endsInBreak = this.#folded(toCharacters(text), mayBreak, true)
    if (endsInBreak) this.writeIndent()
    this.writeIndicator("'", false)
    this.#isAfterSpace = false
    this.#isIndenting = false
  }

  /** Breaks lines at single spaces beyond the width. Returns whether the text ends with a line break. */
  #folded(characters: readonly string[], mayBreak: boolean, isQuoted: boolean): boolean {
    let wasSpace = false
    let wasBreak = false
    for (const [index, character] of characters.entries()) {
      if (character === ' ') {
        const isInside = !isQuoted || (index !== 0 && index !== characters.length - 1)
        const mayFold = mayBreak && !wasSpace && this.isTooWide && isInside && characters[index + 1] !== ' '
        if (mayFold) this.writeIndent()
        else this.#put(' ')
        wasSpace = true
      } else if (character === '\n') {
        if (!wasBreak) this.#break()
        this.#break()
        this.#isIndenting = true
        wasBreak = true
      } else {
        if (wasBreak) this.writeIndent()
        this.#put(isQuoted && character === "'" ? "''" : character, isQuoted && character === "'" ? 2 : 1)
        this.#isIndenting = false
        wasSpace = false
        wasBreak = false
      }
    }
    return wasBreak
  }

  #double(text: string, mayBreak: boolean): void {
    const characters = toCharacters(text)
    let wasSpace = false
    this.writeIndicator('"', true)
    for (const [index, character] of characters.entries()) {
      const isEscaped =
        isUnprintable(character) || character === '\n' || character === '"' || character === '\\'
      if (isEscaped) this.#put(escapeCharacter(character))
      else if (
        character === ' ' &&
        mayBreak &&
        !wasSpace &&
        this.isTooWide &&
        index !== 0 &&
        index !== characters.length - 1
      ) {
        this.writeIndent()
        if (characters[index + 1] === ' ') this.#put('\\')
      } else this.#put(character, 1)
      wasSpace = !isEscaped && character === ' '
    }
    this.writeIndicator('"', false)
    this.#isAfterSpace = false
    this.#isIndenting = false
  }
}
