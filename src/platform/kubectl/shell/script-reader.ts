/** Reads the characters of a script: spaces, comments, operators and here-documents. */
import { UnsupportedCommand } from '#spec'

/** A mistake in the script, for which the shell exits with status 2. */
export class ShellSyntaxError extends Error {}

export interface PendingDocument {
  readonly delimiter: string
  readonly stripsTabs: boolean
  /** Called with the text when its lines are reached. */
  accept(text: string): void
}

const OPERATORS = [
  '&&',
  '||',
  ';;',
  '<<-',
  '<<',
  '>>',
  '>&',
  '<&',
  '>|',
  '<>',
  '&',
  '|',
  ';',
  '\n',
  '(',
  ')',
  '<',
  '>',
]

export class ScriptReader {
  readonly text: string
  position = 0
  private readonly pending: PendingDocument[] = []

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length
  }

  peek(offset = 0): string {
    return this.text[this.position + offset] ?? ''
  }

  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.position)
  }

  addDocument(document: PendingDocument): void {
    this.pending.push(document)
  }

  /** Skips spaces, line continuations and comments, but not newlines. */
  skipBlanks(): void {
    for (;;) {
      if (this.startsWith('\\\n')) this.position += 2
      else if (this.peek() === ' ' || this.peek() === '\t') this.position += 1
      else if (this.peek() === '#') {
        while (!this.isAtEnd && this.peek() !== '\n') this.position += 1
      } else return
    }
  }

  /** The operator at the position, after spaces. */
  operator(): string | undefined {
    this.skipBlanks()
    return OPERATORS.find((operator) => this.startsWith(operator))
  }

  /** Takes the operator if it is next. */
  take(operator: string): boolean {
    if (this.operator() !== operator) return false
    this.position += operator.length
    if (operator === '\n') this.readDocuments()
    return true
  }

  skipNewlines(): void {
    while (this.take('\n'));
  }

  private readDocuments(): void {
    for (const { delimiter, stripsTabs, accept } of this.pending.splice(0)) {
      const lines: string[] = []
      for (;;) {
        if (this.isAtEnd) throw new UnsupportedCommand('a here-document without an end')
        const end = this.text.indexOf('\n', this.position)
        const raw = this.text.slice(this.position, end < 0 ? this.text.length : end)
        this.position = end < 0 ? this.text.length : end + 1
        const line = stripsTabs ? raw.replace(/^\t+/, '') : raw
        if (line === delimiter) break
        lines.push(`${line}\n`)
      }
      accept(lines.join(''))
    }
  }
}
