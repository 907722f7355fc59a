/** A regular expression of Python with a position. */
export class PatternReader {
  readonly source: string
  position = 0

  constructor(source: string) {
    this.source = source
  }

  get isAtEnd(): boolean {
    return this.position >= this.source.length
  }

  get rest(): string {
    return this.source.slice(this.position)
  }

  peek(): string {
    return this.source[this.position] ?? ''
  }

  take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false
    this.position += text.length
    return true
  }

  /** Takes one character, which can be a surrogate pair. */
  takeCode(): number {
    const code = this.source.codePointAt(this.position)!
    this.position += String.fromCodePoint(code).length
    return code
  }
}
