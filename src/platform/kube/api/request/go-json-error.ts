/** Finds the first error in a JSON text and words it as Go's decoder does, since clients show it to users. */

const END = 'unexpected end of JSON input'
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
  #at = 0
  readonly #open: ('{' | '[')[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the first error, if any. */
  findError(): string | undefined {
    try {
      let expecting: Expecting | undefined = 'value'
      while (expecting !== undefined) {
        this.#space()
        expecting = this.#step(expecting)
      }
      this.#space()
      if (this.#at < this.#text.length) this.#stop('after top-level value')
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  #stop(context: string): never {
    const character = this.#text[this.#at]
    throw new Error(character === undefined ? END : `invalid character ${quote(character)} ${context}`)
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1
  }

  #step(expecting: Expecting): Expecting | undefined {
    const character = this.#text[this.#at]
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
        if (character !== ':') this.#stop('after object key')
        this.#at += 1
        return 'value'
      case 'separator':
        return this.#separator()
    }
  }

  #key(): Expecting {
    if (this.#text[this.#at] !== '"') this.#stop('looking for beginning of object key string')
    this.#string()
    return 'colon'
  }

  #separator(): Expecting | undefined {
    const character = this.#text[this.#at]
    const inObject = this.#open.at(-1) === '{'
    if (character === (inObject ? '}' : ']')) return this.#close()
    if (character !== ',') this.#stop(inObject ? 'after object key:value pair' : 'after array element')
    this.#at += 1
    return inObject ? 'key' : 'value'
  }

  #close(): Expecting | undefined {
    this.#at += 1
    this.#open.pop()
    return this.#after()
  }

  #after(): Expecting | undefined {
    return this.#open.length === 0 ? undefined : 'separator'
  }

  #value(): Expecting | undefined {
    const character = this.#text[this.#at]
    if (character === '{' || character === '[') {
      if (this.#open.length >= MAX_DEPTH) this.#stop('exceeded max depth')
      this.#open.push(character)
      this.#at += 1
      return character === '{' ? 'key-or-end' : 'value-or-end'
    }
    if (character === '"') this.#string()
    else if (character === 't') this.#literal('true')
    else if (character === 'f') this.#literal('false')
    else if (character === 'n') this.#literal('null')
    else if (character !== undefined && /[-0-9]/.test(character)) this.#number()
    else this.#stop('looking for beginning of value')
    return this.#after()
  }

  #string(): void {
    this.#at += 1
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) this.#stop('in string literal')
      if (character === '"') break
      if (character < ' ') this.#stop('in string literal')
      if (character === '\\') this.#escape()
      this.#at += 1
    }
    this.#at += 1
  }

  #escape(): void {
    this.#at += 1
    const character = this.#text[this.#at]
    if (character === undefined || !'"\\/bfnrtu'.includes(character)) this.#stop('in string escape code')
    if (character !== 'u') return
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) this.#stop('in \\u hexadecimal character escape')
    }
  }

  #literal(word: string): void {
    for (const character of word) {
      if (this.#text[this.#at] !== character) this.#stop(`in literal ${word} (expecting ${quote(character)})`)
      this.#at += 1
    }
  }

  #digits(context: string): void {
    if (!/[0-9]/.test(this.#text[this.#at] ?? '')) this.#stop(context)
    while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #number(): void {
    if (this.#text[this.#at] === '-') this.#at += 1
    if (this.#text[this.#at] === '0') this.#at += 1
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at += 1
      this.#digits('after decimal point in numeric literal')
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at += 1
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at += 1
      this.#digits('in exponent of numeric literal')
    }
  }
}

export const goJsonError = (text: string): string => new Scanner(text).findError() ?? 'invalid character'
