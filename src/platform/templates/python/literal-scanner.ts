/** Scans the text of a literal of Python. */
import { checkDepth, spend } from '../work.ts'

const BLANK = /(?:[ \t\f]|\\\n)+/y
const BLANK_IN_BRACKETS = /(?:[ \t\f\n]|\\\n|#[^\n]*)+/y

export class LiteralScanner {
  readonly text: string
  position = 0
  #brackets = 0

  constructor(text: string) {
    this.text = text
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position
    const match = pattern.exec(this.text)
    if (match !== null) this.position = pattern.lastIndex
    return match
  }

  /** The next character that is not blank. Line breaks count as blanks only in brackets. */
  peek(): string {
    spend(1)
    this.match(this.#brackets > 0 ? BLANK_IN_BRACKETS : BLANK)
    return this.text[this.position] ?? ''
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false
    this.position += 1
    return true
  }

  open(): void {
    this.position += 1
    this.#brackets += 1
    checkDepth(this.#brackets)
  }

  close(character: string): boolean {
    if (!this.take(character)) return false
    this.#brackets -= 1
    return true
  }
}
