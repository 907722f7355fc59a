/** Translates regular expressions of Python to RE2. Features that RE2 lacks are not supported. */
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend } from '../work.ts'
import { type Flags, readGlobalFlags, readGroupFlags, withFlags } from './pattern-flags.ts'
import { assertionPart, type MatchOptions, type PatternPart } from './pattern-part.ts'
import { PatternReader } from './pattern-reader.ts'
import { readQuantifier } from './read-quantifier.ts'
import { regexError } from './regex-error.ts'
import { translateCharacter } from './translate-character.ts'
import { translateClass } from './translate-class.ts'
import { translateEscape } from './translate-escape.ts'

export interface PatternFlags {
  readonly ignoreCase: boolean
  readonly multiline: boolean
}

export interface TranslatedPattern {
  readonly source: string
  readonly groupCount: number
  readonly groupNames: ReadonlyMap<string, number>
  /** Whether `$` is in it, which in Python also matches before a line break at the end of the text. */
  readonly hasDollar: boolean
  /** Whether there can be a longer match at the position of an empty one. */
  readonly prefersEmpty: boolean
}

const MAX_PATTERN = 2000

class Translator {
  readonly #reader: PatternReader
  readonly #isAscii: boolean
  readonly #names = new Map<string, number>()
  #flags: Flags
  #groups = 0
  #depth = 0
  hasDollar = false
  prefersEmpty = false

  constructor(source: string, { ignoreCase, multiline }: PatternFlags, isAscii: boolean) {
    this.#reader = new PatternReader(source)
    this.#isAscii = isAscii
    this.#flags = { i: ignoreCase, m: multiline, s: false }
  }

  run(): TranslatedPattern {
    this.#flags = readGlobalFlags(this.#reader, this.#flags)
    const { source } = this.#alternatives()
    if (!this.#reader.isAtEnd) throw regexError('unbalanced parenthesis', this.#reader.position)
    const flags = `${this.#flags.i ? 'i' : ''}${this.#flags.s ? 's' : ''}`
    return {
      source: flags === '' ? source : `(?${flags})${source}`,
      groupCount: this.#groups,
      groupNames: this.#names,
      hasDollar: this.hasDollar,
      prefersEmpty: this.prefersEmpty,
    }
  }

  #alternatives(): PatternPart {
    this.#depth += 1
    checkDepth(this.#depth)
    const branches = [this.#sequence()]
    while (this.#reader.take('|')) branches.push(this.#sequence())
    this.#depth -= 1
    if (branches.length > 1 && branches.some((branch) => branch.canBeEmpty)) this.prefersEmpty = true
    return {
      source: branches.map((branch) => branch.source).join('|'),
      canBeEmpty: branches.some((branch) => branch.canBeEmpty),
      hasGroup: branches.some((branch) => branch.hasGroup),
    }
  }

  #sequence(): PatternPart {
    const parts: PatternPart[] = []
    while (!this.#reader.isAtEnd && this.#reader.peek() !== '|' && this.#reader.peek() !== ')') {
      spend(1)
      const part = this.#quantified(this.#atom())
      if (part !== undefined) parts.push(part)
    }
    return {
      source: parts.map((part) => part.source).join(''),
      canBeEmpty: parts.every((part) => part.canBeEmpty),
      hasGroup: parts.some((part) => part.hasGroup),
    }
  }

  #quantified(atom: PatternPart | undefined): PatternPart | undefined {
    const start = this.#reader.position
    const bounds = readQuantifier(this.#reader)
    if (bounds === undefined) return atom
    if (atom === undefined || atom.isAssertion === true) throw regexError('nothing to repeat', start)
    const isLazy = this.#reader.take('?')
    if (this.#reader.peek() === '+') throw new UnsupportedTemplate('possessive quantifiers')
    const after = this.#reader.position
    if (readQuantifier(this.#reader) !== undefined) throw regexError('multiple repeat', after)
    // Engines capture different text for such a group.
    if (atom.canBeEmpty && atom.hasGroup && bounds.max > 1)
      throw new UnsupportedTemplate('repetition of a group that can be empty')
    if (isLazy) this.prefersEmpty = true
    return {
      source: `(?:${atom.source})${bounds.text}${isLazy ? '?' : ''}`.replace(
        /^\(\?:(\[[^\]\\]*\]|\w)\)/,
        '$1',
      ),
      canBeEmpty: atom.canBeEmpty || bounds.min === 0,
      hasGroup: atom.hasGroup,
    }
  }

  get #options(): MatchOptions {
    return { ignoresCase: this.#flags.i, isAscii: this.#isAscii }
  }

  /** Returns undefined for a comment. */
  #atom(): PatternPart | undefined {
    const character = String.fromCodePoint(this.#reader.source.codePointAt(this.#reader.position)!)
    const start = this.#reader.position
    this.#reader.position += character.length
    if (character === '(') return this.#group(start)
    if (character === '[') return translateClass(this.#reader, start, this.#options)
    if (character === '\\') return translateEscape(this.#reader, start, this.#options)
    if (character === '.') return { source: '.', canBeEmpty: false, hasGroup: false }
    if (character === '^') return assertionPart(this.#flags.m ? '(?m:^)' : '\\A')
    if (character === '$') {
      if (!this.#flags.m) this.hasDollar = true
      return assertionPart(this.#flags.m ? '(?m:$)' : '\\z')
    }
    if ('*+?'.includes(character)) throw regexError('nothing to repeat', start)
    return translateCharacter(character.codePointAt(0)!, this.#options)
  }

  #group(start: number): PatternPart | undefined {
    const outer = this.#flags
    let opening = '('
    let hasGroup = true
    if (this.#reader.take('?')) {
      const name = /^P<([^>]*)>/.exec(this.#reader.rest)
      if (name !== null) {
        this.#reader.position += name[0].length
        this.#name(name[1]!, start)
        opening = `(?P<${name[1]}>`
      } else {
        const flags = readGroupFlags(this.#reader, start)
        if (flags === undefined) return undefined
        opening = `(?${flags}:`
        hasGroup = false
        this.#flags = withFlags(this.#flags, flags)
      }
    }
    if (hasGroup) this.#groups += 1
    const inner = this.#alternatives()
    this.#flags = outer
    if (!this.#reader.take(')')) throw regexError('missing ), unterminated subpattern', start)
    return { ...inner, source: `${opening}${inner.source})`, hasGroup: hasGroup || inner.hasGroup }
  }

  #name(name: string, start: number): void {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw regexError(`bad character in group name '${name}'`, start)
    if (this.#names.has(name)) throw regexError(`redefinition of group name '${name}'`, start)
    this.#names.set(name, this.#groups + 1)
  }
}

/** `isAscii`: whether the searched text is ASCII only. Throws PythonError (re.error) for invalid patterns. */
export const translatePattern = (
  source: string,
  flags: PatternFlags,
  isAscii: boolean,
): TranslatedPattern => {
  if (source.length > MAX_PATTERN)
    throw new UnsupportedTemplate(`a regular expression of more than ${MAX_PATTERN} characters`)
  return new Translator(source, flags, isAscii).run()
}
