/** Translates regular expressions of Python to RE2. Features that RE2 lacks are not supported. */
import { PythonError } from '../python/python-error.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { checkDepth, spend } from '../work.ts'
import { classPart, codePart, wholeClass } from './character-classes.ts'

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

/** A translated part. */
interface Part {
  readonly source: string
  readonly canBeEmpty: boolean
  readonly hasGroup: boolean
  /** Whether the part is an assertion such as `^`, which cannot be repeated. */
  readonly isAssertion?: boolean
}

const regexError = (message: string, position: number): PythonError =>
  new PythonError('error', `${message} at position ${position}`)

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
}

const MAX_PATTERN = 2000
const QUANTIFIER = /[*+?]|\{(\d*)(,?)(\d*)\}/y

class Translator {
  readonly #source: string
  readonly #isAscii: boolean
  readonly #names = new Map<string, number>()
  #flags: { i: boolean; m: boolean; s: boolean }
  #position = 0
  #groups = 0
  #depth = 0
  hasDollar = false
  prefersEmpty = false

  constructor(source: string, { ignoreCase, multiline }: PatternFlags, isAscii: boolean) {
    this.#source = source
    this.#isAscii = isAscii
    this.#flags = { i: ignoreCase, m: multiline, s: false }
  }

  run(): TranslatedPattern {
    this.#globalFlags()
    const { source } = this.#alternatives()
    if (this.#position < this.#source.length) throw regexError('unbalanced parenthesis', this.#position)
    const flags = `${this.#flags.i ? 'i' : ''}${this.#flags.s ? 's' : ''}`
    return {
      source: flags === '' ? source : `(?${flags})${source}`,
      groupCount: this.#groups,
      groupNames: this.#names,
      hasDollar: this.hasDollar,
      prefersEmpty: this.prefersEmpty,
    }
  }

  /** Flags at the start, also behind comments and other flags. */
  #globalFlags(): void {
    const start = /^(?:\(\?#[^)]*\)|\(\?[aiLmsux]+\))+/.exec(this.#source)?.[0] ?? ''
    const groups = [...start.matchAll(/\(\?#[^)]*\)|\(\?([aiLmsux]+)\)/g)]
    for (const flag of groups.map(([, flags]) => flags ?? '').join('')) {
      if (flag === 'i' || flag === 'm' || flag === 's') this.#flags[flag] = true
      else if (flag !== 'u') throw new UnsupportedTemplate(`the flag ${flag} of a regular expression`)
    }
    this.#position = start.length
  }

  #peek(): string {
    return this.#source[this.#position] ?? ''
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#position)) return false
    this.#position += text.length
    return true
  }

  #alternatives(): Part {
    this.#depth += 1
    checkDepth(this.#depth)
    const branches = [this.#sequence()]
    while (this.#take('|')) branches.push(this.#sequence())
    this.#depth -= 1
    if (branches.length > 1 && branches.some((branch) => branch.canBeEmpty)) this.prefersEmpty = true
    return {
      source: branches.map((branch) => branch.source).join('|'),
      canBeEmpty: branches.some((branch) => branch.canBeEmpty),
      hasGroup: branches.some((branch) => branch.hasGroup),
    }
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#position < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
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

  /** The bounds of a quantifier at this place; `{` is a literal if it does not begin one. */
  #bounds(): { text: string; min: number; max: number } | undefined {
    QUANTIFIER.lastIndex = this.#position
    const match = QUANTIFIER.exec(this.#source)
    if (match === null) return undefined
    const [text, low, comma, high] = match
    if (text === '*' || text === '+' || text === '?') {
      this.#position += 1
      return { text, min: text === '+' ? 1 : 0, max: text === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    if (low === '' && high === '') {
      if (comma === '') return undefined
      this.#position += text.length
      return { text: '*', min: 0, max: Number.POSITIVE_INFINITY }
    }
    if (low === '' && comma === '') return undefined
    this.#position += text.length
    const min = Number(low === '' ? 0 : low)
    const max = comma === '' ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    if (max < min) throw regexError('min repeat greater than max repeat', this.#position)
    if (min > 1000 || (max > 1000 && Number.isFinite(max)))
      throw new UnsupportedTemplate('more than 1000 repetitions in a regular expression')
    return { text: comma === '' ? `{${min}}` : `{${min},${high}}`, min, max }
  }

  #quantified(atom: Part | undefined): Part | undefined {
    const start = this.#position
    const bounds = this.#bounds()
    if (bounds === undefined) return atom
    if (atom === undefined || atom.isAssertion === true) throw regexError('nothing to repeat', start)
    const isLazy = this.#take('?')
    if (this.#peek() === '+') throw new UnsupportedTemplate('possessive quantifiers')
    const after = this.#position
    if (this.#bounds() !== undefined) throw regexError('multiple repeat', after)
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

  /** Returns undefined for a comment. */
  #atom(): Part | undefined {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#position)!)
    const start = this.#position
    this.#position += character.length
    if (character === '(') return this.#group(start)
    if (character === '[') return this.#class(start)
    if (character === '\\') return this.#escape(start)
    if (character === '.') return { source: '.', canBeEmpty: false, hasGroup: false }
    if (character === '^') return this.#assertion(this.#flags.m ? '(?m:^)' : '\\A')
    if (character === '$') {
      if (!this.#flags.m) this.hasDollar = true
      return this.#assertion(this.#flags.m ? '(?m:$)' : '\\z')
    }
    if ('*+?'.includes(character)) throw regexError('nothing to repeat', start)
    return this.#literal(character.codePointAt(0)!)
  }

  #literal(code: number): Part {
    if (this.#flags.i && (code > 127 || !this.#isAscii))
      throw new UnsupportedTemplate('ignoring the case of non-ASCII characters')
    const isWord = code < 128 && /\w/.test(String.fromCodePoint(code))
    const source = isWord ? String.fromCodePoint(code) : codePart(code)
    return { source, canBeEmpty: false, hasGroup: false }
  }

  #assertion(source: string): Part {
    return { source, canBeEmpty: true, hasGroup: false, isAssertion: true }
  }

  #group(start: number): Part | undefined {
    const outer = this.#flags
    let opening = '('
    let hasGroup = true
    if (this.#take('?')) {
      const name = /^P<([^>]*)>/.exec(this.#source.slice(this.#position))
      if (name !== null) {
        this.#position += name[0].length
        this.#name(name[1]!, start)
        opening = `(?P<${name[1]}>`
      } else {
        const flags = this.#extension(start)
        if (flags === undefined) return undefined
        opening = `(?${flags}:`
        hasGroup = false
        this.#setFlags(flags)
      }
    }
    if (hasGroup) this.#groups += 1
    const inner = this.#alternatives()
    this.#flags = outer
    if (!this.#take(')')) throw regexError('missing ), unterminated subpattern', start)
    return { ...inner, source: `${opening}${inner.source})`, hasGroup: hasGroup || inner.hasGroup }
  }

  /** For the rest of the group; `i-s` turns on one flag and off the other. */
  #setFlags(flags: string): void {
    const [on, off = ''] = flags.split('-') as [string, string?]
    const isOn = (flag: 'i' | 'm' | 's'): boolean =>
      on.includes(flag) || (this.#flags[flag] && !off.includes(flag))
    this.#flags = { i: isOn('i'), m: isOn('m'), s: isOn('s') }
  }

  #name(name: string, start: number): void {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw regexError(`bad character in group name '${name}'`, start)
    if (this.#names.has(name)) throw regexError(`redefinition of group name '${name}'`, start)
    this.#names.set(name, this.#groups + 1)
  }

  /** After `(?`: the flags of a group without a number; undefined for a comment. */
  #extension(start: number): string | undefined {
    if (this.#take(':')) return ''
    if (this.#take('#')) {
      const end = this.#source.indexOf(')', this.#position)
      if (end < 0) throw regexError('missing ), unterminated comment', start)
      this.#position = end + 1
      return undefined
    }
    const rest = this.#source.slice(this.#position)
    if (/^(?:[=!>(]|<[=!]|P=)/.test(rest))
      throw new UnsupportedTemplate('lookaround, atomic groups, conditions and backreferences')
    const scoped = /^([ims]*(?:-[ims]+)?):/.exec(rest)
    if (scoped !== null) {
      this.#position += scoped[0].length
      return scoped[1]!
    }
    if (/^[aiLmsux]+\)/.test(rest)) throw regexError('global flags not at the start of the expression', start)
    if (/^[-aiLmsux]/.test(rest)) throw new UnsupportedTemplate('these flags of a regular expression')
    throw regexError(`unknown extension ?${rest.slice(0, 2)}`, start + 1)
  }

  /** A number in an escape: `\x41`, `\u0041`, `\101`; undefined for other escapes. */
  #numericEscape(isInClass: boolean): number | undefined {
    const rest = this.#source.slice(this.#position)
    const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest)
    const octal = isInClass ? /^[0-7]{1,3}/.exec(rest) : /^(?:0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest)
    const match = hex ?? octal
    if (match === null) return undefined
    this.#position += match[0].length
    const code =
      hex === null ? Number.parseInt(match[0], 8) : Number.parseInt((hex[1] ?? hex[2] ?? hex[3])!, 16)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw new UnsupportedTemplate('this escape in a regular expression')
    if (hex === null && code > 0o377)
      throw regexError(`octal escape value \\${match[0]} outside of range 0-0o377`, this.#position)
    return code
  }

  #escape(start: number): Part {
    const letter = this.#peek()
    if (letter === '') throw regexError('bad escape (end of pattern)', start)
    if ('dDwWsS'.includes(letter)) {
      this.#position += 1
      return { source: wholeClass(letter, this.#isAscii), canBeEmpty: false, hasGroup: false }
    }
    if ('AZbB'.includes(letter)) {
      this.#position += 1
      if ('bB'.includes(letter) && !this.#isAscii) throw new UnsupportedTemplate('\\b for non-ASCII text')
      return this.#assertion(letter === 'A' ? '\\A' : letter === 'Z' ? '\\z' : `\\${letter}`)
    }
    const code = this.#numericEscape(false)
    if (code !== undefined) return this.#literal(code)
    if (/\d/.test(letter)) throw new UnsupportedTemplate('backreferences in regular expressions')
    return this.#literal(this.#simpleEscape(start, letter))
  }

  #simpleEscape(start: number, letter: string): number {
    if (letter === 'N') throw new UnsupportedTemplate('characters by name')
    const code = ESCAPES[letter]
    if (code === undefined && /[A-Za-z0-9]/.test(letter)) throw regexError(`bad escape \\${letter}`, start)
    const literal = this.#source.codePointAt(this.#position)!
    this.#position += String.fromCodePoint(literal).length
    return code ?? literal
  }

  /** One member of a class: a code, or the content of a class such as `\d`. */
  #member(start: number): number | string {
    if (this.#position >= this.#source.length) throw regexError('unterminated character set', start)
    if (!this.#take('\\')) {
      const code = this.#source.codePointAt(this.#position)!
      this.#position += String.fromCodePoint(code).length
      return code
    }
    const letter = this.#peek()
    if (letter === '') throw regexError('bad escape (end of pattern)', this.#position - 1)
    if ('dDwWsS'.includes(letter)) {
      this.#position += 1
      return classPart(letter, this.#isAscii)
    }
    return this.#numericEscape(true) ?? this.#simpleEscape(this.#position - 1, letter)
  }

  #class(start: number): Part {
    const isNegated = this.#take('^')
    let source = ''
    for (let isFirst = true; isFirst || !this.#take(']'); isFirst = false) {
      spend(1)
      const first = this.#member(start)
      const isRange = this.#peek() === '-' && this.#source[this.#position + 1] !== ']'
      if (!isRange || this.#position + 1 >= this.#source.length) {
        source += this.#classMember(first)
        continue
      }
      this.#position += 1
      const last = this.#member(start)
      if (typeof first === 'string' || typeof last === 'string' || last < first)
        throw regexError('bad character range', start)
      source += `${this.#classMember(first)}-${this.#classMember(last)}`
    }
    return { source: `[${isNegated ? '^' : ''}${source}]`, canBeEmpty: false, hasGroup: false }
  }

  #classMember(member: number | string): string {
    if (typeof member === 'string') return member
    if (this.#flags.i && (member > 127 || !this.#isAscii))
      throw new UnsupportedTemplate('ignoring the case of non-ASCII characters')
    return codePart(member)
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
