/** Finds the first error in a JSON text and words it as Go's decoder does, since clients show it to users. */

const END_ERROR = 'unexpected end of JSON input'
/** The limit of Go's decoder. */
const MAX_DEPTH = 10_000

const quote = (character: string): string => {
  if (character === "'") return `'\\''`
  if (character === '"') return `'"'`
  const code = character.charCodeAt(0)
  if (code < 0x20 && !'\b\f\n\r\t'.includes(character)) return `'\\x${code.toString(16).padStart(2, '0')}'`
  return `'${JSON.stringify(character).slice(1, -1)}'`
}

/** The next expected token. */
type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'separator'

/** Scans without recursion, so that nesting cannot overflow the stack. */
class Scanner {
  readonly #text: string
  #next = 0
  readonly #open: ('{' | '[')[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the first error, if any. */
  findError(): string | undefined {
    try {
      let expecting: Expecting | undefined = 'value'
      while (expecting !== undefined) {
        this.#skipSpace()
        expecting = this.#step(expecting)
      }
      this.#skipSpace()
      if (this.#next < this.#text.length) this.#fail('after top-level value')
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  #fail(context: string): never {
    const character = this.#text[this.#next]
    throw new Error(character === undefined ? END_ERROR : `invalid character ${quote(character)} ${context}`)
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#next] ?? 'x')) this.#next += 1
  }

  #step(expecting: Expecting): Expecting | undefined {
    const character = this.#text[this.#next]
    switch (expecting) {
      case 'value-or-end':
        return character === ']' ? this.#close() : this.#value()
      case 'value':
        return this.#value()
      case 'key-or-end':
        return character === '}' ? this.#close() : this.#key()
      case 'key':
        return this.#key()
      case 'colon':
        if (character !== ':') this.#fail('after object key')
        this.#next += 1
        return 'value'
      case 'separator':
        return this.#separator()
    }
  }

  #key(): Expecting {
    if (this.#text[this.#next] !== '"') this.#fail('looking for beginning of object key string')
    this.#string()
    return 'colon'
  }

  #separator(): Expecting | undefined {
    const character = this.#text[this.#next]
    const inObject = this.#open.at(-1) === '{'
    if (character === (inObject ? '}' : ']')) return this.#close()
    if (character !== ',') this.#fail(inObject ? 'after object key:value pair' : 'after array element')
    this.#next += 1
    return inObject ? 'key' : 'value'
  }

  #close(): Expecting | undefined {
    this.#next += 1
    this.#open.pop()
    return this.#afterValue()
  }

  #afterValue(): Expecting | undefined {
    return this.#open.length === 0 ? undefined : 'separator'
  }

  #value(): Expecting | undefined {
    const character = this.#text[this.#next]
    if (character === '{' || character === '[') {
      if (this.#open.length >= MAX_DEPTH) this.#fail('exceeded max depth')
      this.#open.push(character)
      this.#next += 1
      return character === '{' ? 'key-or-end' : 'value-or-end'
    }
    if (character === '"') this.#string()
    else if (character === 't') this.#literal('true')
    else if (character === 'f') this.#literal('false')
    else if (character === 'n') this.#literal('null')
    else if (character !== undefined && /[-0-9]/.test(character)) this.#number()
    else this.#fail('looking for beginning of value')
    return this.#afterValue()
  }

  #string(): void {
    this.#next += 1
    for (;;) {
      const character = this.#text[this.#next]
      if (character === undefined) this.#fail('in string literal')
      if (character === '"') break
      if (character < ' ') this.#fail('in string literal')
      if (character === '\\') this.#escape()
      this.#next += 1
    }
    this.#next += 1
  }

  #escape(): void {
    this.#next += 1
    const character = this.#text[this.#next]
    if (character === undefined || !'"\\/bfnrtu'.includes(character)) this.#fail('in string escape code')
    if (character !== 'u') return
    for (let digit = 0; digit < 4; digit += 1) {
      this.#next += 1
      if (!/[0-9a-fA-F]/.test(this.#text[this.#next] ?? '')) this.#fail('in \\u hexadecimal character escape')
    }
  }

  #literal(word: string): void {
    for (const character of word) {
      if (this.#text[this.#next] !== character)
        this.#fail(`in literal ${word} (expecting ${quote(character)})`)
      this.#next += 1
    }
  }

  #digits(context: string): void {
    if (!/[0-9]/.test(this.#text[this.#next] ?? '')) this.#fail(context)
    while (/[0-9]/.test(this.#text[this.#next] ?? '')) this.#next += 1
  }

  #number(): void {
    if (this.#text[this.#next] === '-') this.#next += 1
    if (this.#text[this.#next] === '0') this.#next += 1
    else this.#digits('in numeric literal')
    if (this.#text[this.#next] === '.') {
      this.#next += 1
      this.#digits('after decimal point in numeric literal')
    }
    if (/[eE]/.test(this.#text[this.#next] ?? '')) {
      this.#next += 1
      if (/[-+]/.test(this.#text[this.#next] ?? '')) this.#next += 1
      this.#digits('in exponent of numeric literal')
    }
  }
}

export const goJsonError = (text: string): string => new Scanner(text).findError() ?? 'invalid character'
