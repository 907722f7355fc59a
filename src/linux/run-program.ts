/** Runs a program of the host to its end, inside a network namespace where one is given. */
import { spawn } from 'node:child_process'
import type { NetworkNamespace } from './network-namespace.ts'

export interface ProgramRun {
  input?: string
  namespace?: NetworkNamespace
  environment?: Readonly<Record<string, string>>
  /** Milliseconds after which it is killed; a minute where absent. */
  timeoutMs?: number
}

export interface ProgramEnd {
  exitCode: number
  stdout: string
  stderr: string
}

const PATIENCE_MS = 60_000

/** Resolves however it ended; rejects only when it could not be started. */
export const runProgram = (
  program: string,
  args: readonly string[],
  { input, namespace, environment, timeoutMs = PATIENCE_MS }: ProgramRun = {},
): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    const start = () =>
      spawn(program, args, {
        env: { ...process.env, LC_ALL: 'C', ...environment },
        stdio: 'pipe',
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      })
    const child = namespace === undefined ? start() : namespace.inside(start)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ exitCode: code ?? 137, ...output }))
    // A program that does not read to the end says why in its exit.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })

/** What it wrote to stdout; rejects with what it wrote to stderr when it failed. */
export const runChecked = async (
  program: string,
  args: readonly string[],
  options: ProgramRun = {},
): Promise<string> => {
  const { exitCode, stdout, stderr } = await runProgram(program, args, options)
  if (exitCode === 0) return stdout
  throw new Error(`${program} ended with ${exitCode}: ${stderr.trim() || stdout.trim() || 'it said nothing'}`)
}
