/** A command line that is run inside the test's own process: its exit code, and what it printed where. */
import { runCommandLine } from '../run-command-line.ts'

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

export const runHere = async (...args: string[]): Promise<Said> => {
  const out: string[] = []
  const err: string[] = []
  const code = await runCommandLine(args, { out: (text) => out.push(text), err: (text) => err.push(text) })
  return { code, out: out.join(''), err: err.join('') }
}
