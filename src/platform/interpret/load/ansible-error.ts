/** Errors that Ansible itself raises, with their position in the playbook. */
import type { YamlPosition } from '../yaml/read-ansible-yaml.ts'

/** Fails a task, or the whole playbook if it is thrown while the playbook is read. */
export class AnsibleError extends Error {
  readonly position: YamlPosition | undefined

  constructor(message: string, position?: YamlPosition) {
    super(message)
    this.name = 'AnsibleError'
    this.position = position
  }
}

/** Ends the whole playbook at once, before any further output. */
export class PlaybookAborted extends Error {}

/** An undefined variable. Some parts of a playbook treat it differently from other mistakes. */
export class UndefinedVariable extends AnsibleError {}

/** An error of Python that Ansible does not expect. */
export class UnexpectedFailure extends AnsibleError {
  constructor(message: string) {
    super(`Unexpected failure during module execution: ${message}`)
  }
}

/** An error of Python in a field or an argument of a task, which Ansible reports without a message. */
export class UnexplainedFailure extends AnsibleError {}

/** The text of a playbook, for the excerpt in messages. */
export interface PlaybookText {
  readonly path: string
  readonly lines: readonly string[]
}

/** An assignment in the previous line, which Ansible reports as a mix of two syntaxes. */
const SHORTHAND = /\w+(\s+)?=(\s+)?[\w/-]+/

const place = (path: string, line: number, column: number): string =>
  `The error appears to be in '${path}': line ${line}, column ${column}, but may\nbe elsewhere in the file depending on the exact syntax problem.\n`

/** Finds the line, or the last preceding line that is not blank. */
const findLine = (lines: readonly string[], number: number): number => {
  let index = Math.min(number - 1, lines.length - 1)
  while (index > 0 && lines[index]!.trim() === '') index -= 1
  return index
}

/**
 * Appends the position and the line. Advice on quoting, which Ansible may add, is omitted: it depends on the line alone
 * and says nothing about the failure.
 */
export const withExcerpt = (
  message: string,
  position: YamlPosition,
  { path, lines }: PlaybookText,
): string => {
  const { line, column } = position
  const index = findLine(lines, line)
  const before = index > 0 ? lines[index - 1]!.trimEnd() : ''
  if (SHORTHAND.test(before)) {
    const at = before.indexOf('=')
    return `${message}\n\n${place(path, line - 1, at + 1)}\nThe offending line appears to be:\n\n${before}\n${' '.repeat(at)}^ here\n\n`
  }
  const arrow = `${' '.repeat(column - 1)}^ here`
  return `${message}\n\n${place(path, line, column)}\nThe offending line appears to be:\n\n${before}\n${(lines[index] ?? '').trimEnd()}\n${arrow}\n`
}

export const messageOf = (error: AnsibleError, text: PlaybookText): string =>
  error.position === undefined ? error.message : withExcerpt(error.message, error.position, text)
