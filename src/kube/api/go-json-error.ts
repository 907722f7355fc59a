/** Says what is wrong with a JSON text in the words of Go's decoder, which clients show to people. */

const END = 'unexpected end of JSON input'

const quote = (letter: string): string => {
  if (letter === "'") return `'\\''`
  if (letter === '"') return `'"'`
  return `'${JSON.stringify(letter).slice(1, -1)}'`
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The first fault, if there is one. */
  fault(): string | undefined {
    try {
      this.#value('looking for beginning of value')
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

  #value(where: string): void {
    this.#space()
    const letter = this.#text[this.#at]
    if (letter === '{') this.#object()
    else if (letter === '[') this.#array()
    else if (letter === '"') this.#string()
    else if (letter === 't') this.#literal('true')
    else if (letter === 'f') this.#literal('false')
    else if (letter === 'n') this.#literal('null')
    else if (letter !== undefined && /[-0-9]/.test(letter)) this.#number()
    else this.#stop(where)
  }

  #object(): void {
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === '}') {
      this.#at += 1
      return
    }
    for (;;) {
      this.#space()
      if (this.#text[this.#at] !== '"') this.#stop('looking for beginning of object key string')
      this.#string()
      this.#space()
      if (this.#text[this.#at] !== ':') this.#stop('after object key')
      this.#at += 1
      this.#value('looking for beginning of value')
      this.#space()
      const letter = this.#text[this.#at]
      if (letter === '}') break
      if (letter !== ',') this.#stop('after object key:value pair')
      this.#at += 1
    }
    this.#at += 1
  }

  #array(): void {
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === ']') {
      this.#at += 1
      return
    }
    for (;;) {
      this.#value('looking for beginning of value')
      this.#space()
      const letter = this.#text[this.#at]
      if (letter === ']') break
      if (letter !== ',') this.#stop('after array element')
      this.#at += 1
    }
    this.#at += 1
  }

  #string(): void {
    this.#at += 1
    for (;;) {
      const letter = this.#text[this.#at]
      if (letter === undefined) this.#stop('in string literal')
      if (letter === '"') break
      if (letter < ' ') this.#stop('in string literal')
      if (letter === '\\') {
        this.#at += 1
        const escape = this.#text[this.#at]
        if (escape === undefined || !'"\\/bfnrtu'.includes(escape)) this.#stop('in string escape code')
        if (escape === 'u') {
          for (let digit = 0; digit < 4; digit += 1) {
            this.#at += 1
            if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? ''))
              this.#stop('in \\u hexadecimal character escape')
          }
        }
      }
      this.#at += 1
    }
    this.#at += 1
  }

  #literal(word: string): void {
    for (const [index, letter] of [...word].entries()) {
      if (this.#text[this.#at] !== letter) this.#stop(`in literal ${word} (expecting ${quote(letter)})`)
      if (index < word.length) this.#at += 1
    }
  }

  #number(): void {
    const digits = (where: string): void => {
      if (!/[0-9]/.test(this.#text[this.#at] ?? '')) this.#stop(where)
      while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at += 1
    }
    if (this.#text[this.#at] === '-') {
      this.#at += 1
      if (!/[0-9]/.test(this.#text[this.#at] ?? '')) this.#stop('in numeric literal')
    }
    if (this.#text[this.#at] === '0') this.#at += 1
    else digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at += 1
      digits('after decimal point in numeric literal')
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at += 1
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at += 1
      digits('in exponent of numeric literal')
    }
  }
}

export const goJsonError = (text: string): string => new Scanner(text).fault() ?? 'invalid character'
