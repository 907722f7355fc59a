/** Says what is wrong with a JSON text in the words of Go's decoder, which clients show to people. */

const END = 'unexpected end of JSON input'
/** Go's own limit. */
const MAX_DEPTH = 10_000

const quote = (letter: string): string => {
  if (letter === "'") return `'\\''`
  if (letter === '"') return `'"'`
  const code = letter.charCodeAt(0)
  if (code < 0x20 && !'\b\f\n\r\t'.includes(letter)) return `'\\x${code.toString(16).padStart(2, '0')}'`
  return `'${JSON.stringify(letter).slice(1, -1)}'`
}

/** What may come next: a value, a key, or what stands between two of them. */
type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'separator'

/** Walks without recursion, so that no nesting is too deep for it. */
class Scanner {
  readonly #text: string
  #at = 0
  readonly #open: ('{' | '[')[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** The first fault, if there is one. */
  fault(): string | undefined {
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

  #stop(where: string): never {
    const letter = this.#text[this.#at]
    throw new Error(letter === undefined ? END : `invalid character ${quote(letter)} ${where}`)
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1
  }

  #step(expecting: Expecting): Expecting | undefined {
    const letter = this.#text[this.#at]
    switch (expecting) {
      case 'value-or-end':
        return letter === ']' ? this.#close() : this.#value()
      case 'value':
        return this.#value()
      case 'key-or-end':
        return letter === '}' ? this.#close() : this.#key()
      case 'key':
        return this.#key()
      case 'colon':
        if (letter !== ':') this.#stop('after object key')
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
    const letter = this.#text[this.#at]
    const inObject = this.#open.at(-1) === '{'
    if (letter === (inObject ? '}' : ']')) return this.#close()
    if (letter !== ',') this.#stop(inObject ? 'after object key:value pair' : 'after array element')
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
    const letter = this.#text[this.#at]
    if (letter === '{' || letter === '[') {
      if (this.#open.length >= MAX_DEPTH) this.#stop('exceeded max depth')
      this.#open.push(letter)
      this.#at += 1
      return letter === '{' ? 'key-or-end' : 'value-or-end'
    }
    if (letter === '"') this.#string()
    else if (letter === 't') this.#literal('true')
    else if (letter === 'f') this.#literal('false')
    else if (letter === 'n') this.#literal('null')
    else if (letter !== undefined && /[-0-9]/.test(letter)) this.#number()
    else this.#stop('looking for beginning of value')
    return this.#after()
  }

  #string(): void {
    this.#at += 1
    for (;;) {
      const letter = this.#text[this.#at]
      if (letter === undefined) this.#stop('in string literal')
      if (letter === '"') break
      if (letter < ' ') this.#stop('in string literal')
      if (letter === '\\') this.#escape()
      this.#at += 1
    }
    this.#at += 1
  }

  #escape(): void {
    this.#at += 1
    const letter = this.#text[this.#at]
    if (letter === undefined || !'"\\/bfnrtu'.includes(letter)) this.#stop('in string escape code')
    if (letter !== 'u') return
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) this.#stop('in \\u hexadecimal character escape')
    }
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) this.#stop(`in literal ${word} (expecting ${quote(letter)})`)
      this.#at += 1
    }
  }

  #digits(where: string): void {
    if (!/[0-9]/.test(this.#text[this.#at] ?? '')) this.#stop(where)
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

export const goJsonError = (text: string): string => new Scanner(text).fault() ?? 'invalid character'
