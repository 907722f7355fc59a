/** The shared parts of head and tail: the option -NUMBER, headings, and errors. */
import { type PodProgramCall, ProgramFailure } from '../pod-program.ts'

/** Replaces `-5` by `-n 5`. */
export const oldStyle = (args: readonly string[]): readonly string[] => {
  const [first = '', ...rest] = args
  return /^-\d+$/.test(first) ? ['-n', first.slice(1), ...rest] : args
}

/** Prints `==> name <==` above each of several files. */
export const printHeading = (call: PodProgramCall, name: string, index: number): void =>
  call.out(`${index > 0 ? '\n' : ''}==> ${name === '-' ? 'standard input' : name} <==\n`)

/** Reports a file that cannot be read. Throws other errors. */
export const complainOfFile = (call: PodProgramCall, error: unknown): void => {
  if (!(error instanceof ProgramFailure)) throw error
  const [, file] = /^(.*): No such file or directory$/.exec(error.message) ?? []
  call.complain(
    file === undefined ? error.message : `cannot open '${file}' for reading: No such file or directory`,
  )
}
