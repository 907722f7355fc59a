/** Runs a command line in the process of the test. */
import { runCommandLine } from '../run-command-line.ts'

export interface CommandOutput {
  readonly code: number
  readonly out: string
  readonly err: string
}

export const runCommand = async (...args: string[]): Promise<CommandOutput> => {
  const out: string[] = []
  const err: string[] = []
  const code = await runCommandLine(args, { out: (text) => out.push(text), err: (text) => err.push(text) })
  return { code, out: out.join(''), err: err.join('') }
}
