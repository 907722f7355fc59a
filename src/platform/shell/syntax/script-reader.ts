/** Reads the characters of a script: spaces, comments, operators and here-documents. */
/** A mistake in the script, for which the shell exits with status 2. */
export class ShellSyntaxError extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

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
  readonly #pending: PendingDocument[] = []
  #counted = { position: 0, line: 1 }

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

  /** The error `Syntax error: ...` at the position. */
  error(message: string): ShellSyntaxError {
    return new ShellSyntaxError(`Syntax error: ${message}`, this.isAtEnd ? this.line - 1 : this.line)
  }

  addDocument(document: PendingDocument): void {
    this.#pending.push(document)
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

  /** The number of the line at the position. */
  get line(): number {
    if (this.position < this.#counted.position) this.#counted = { position: 0, line: 1 }
    let { position, line } = this.#counted
    for (; position < this.position; position += 1) if (this.text[position] === '\n') line += 1
    this.#counted = { position, line }
    return line
  }

  skipNewlines(): void {
    while (this.take('\n'));
  }

  private readDocuments(): void {
    for (const { delimiter, stripsTabs, accept } of this.#pending.splice(0)) {
      const lines: string[] = []
      for (;;) {
        // The end of the script ends it, too.
        if (this.isAtEnd) break
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
