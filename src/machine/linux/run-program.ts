/** Runs a program of the host, optionally in a network namespace. */
import { spawn } from 'node:child_process'
import type { NetworkNamespace } from './network/network-namespace.ts'

export interface ProgramRun {
  input?: string
  namespace?: NetworkNamespace
  environment?: Readonly<Record<string, string>>
  /** The program is killed after this time; one minute by default. */
  timeoutMs?: number
}

export interface ProgramEnd {
  exitCode: number
  stdout: string
  stderr: string
}

const DEFAULT_TIMEOUT_MS = 60_000

/** Resolves with any exit code; rejects only if the program could not be started. */
export const runProgram = (
  program: string,
  args: readonly string[],
  { input, namespace, environment, timeoutMs = DEFAULT_TIMEOUT_MS }: ProgramRun = {},
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
    // Ignored: a program that closes its input early reports the reason by its exit code and stderr.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })

/** Resolves with stdout; rejects with stderr if the exit code is not 0. */
export const runChecked = async (
  program: string,
  args: readonly string[],
  options: ProgramRun = {},
): Promise<string> => {
  const { exitCode, stdout, stderr } = await runProgram(program, args, options)
  if (exitCode === 0) return stdout
  throw new Error(`${program} ended with ${exitCode}: ${stderr.trim() || stdout.trim() || 'no output'}`)
}
