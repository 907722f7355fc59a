/** What head and tail share: the option -NUMBER, and headings. */
import type { PodProgramCall } from '../pod-program.ts'

export const oldStyle = (args: readonly string[]): readonly string[] => {
  const [first = '', ...rest] = args
  return /^-\d+$/.test(first) ? ['-n', first.slice(1), ...rest] : args
}

/** Prints `==> name <==` above each of several files. */
export const printHeading = (call: PodProgramCall, name: string, index: number): void =>
  call.out(`${index > 0 ? '\n' : ''}==> ${name === '-' ? 'standard input' : name} <==\n`)
