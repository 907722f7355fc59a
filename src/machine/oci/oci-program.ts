/** Runs one command of the OCI runtime program. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Clock } from '#kit'
import { defined } from '#kit'
import { childReaper } from '#machine/linux'

/** The kubelet's timeout for its runtime. */
const TIMEOUT_MS = 120_000

export interface OciCommand {
  clock: Clock
  /** `runc` or a compatible program. */
  program: string
  args: readonly string[]
  stdio: SpawnOptions['stdio']
  /** Environment variables by which leftover processes are found. */
  marker: Readonly<Record<string, string>>
  /** Aborts the command. */
  signal?: AbortSignal | undefined
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )

/** All descendants; empty if the process has ended. */
const descendantsOf = (pid: number): number[] => {
  try {
    return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
  } catch {
    return []
  }
}

/** A zombie would prevent its pid namespace from ending, so it must be reaped. */
const killAndReap = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
  childReaper().adopt(pid, () => {})
}

/** Resolves with the exit code. After a timeout or abort, kills the program and its descendants, then rejects. */
export const runOciProgram = ({ clock, program, args, stdio, marker, signal }: OciCommand): Promise<number> =>
  new Promise((resolve, reject) => {
    // The reaper must exist before the program leaves an orphan.
    childReaper()
    const child = spawn(program, args, {
      // One thread is sufficient and saves CPU.
      env: { PATH: process.env.PATH, GOMAXPROCS: '1', ...marker },
      ...defined({ stdio }),
    })
    let descendants: readonly number[] | undefined
    const abort = (): void => {
      // Stops it first, so that it does not fork while its descendants are listed.
      child.kill('SIGSTOP')
      descendants = child.pid === undefined ? [] : descendantsOf(child.pid)
      child.kill('SIGKILL')
    }
    const timer = clock.after(TIMEOUT_MS, abort)
    const settle = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', abort)
    }
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('exit', (code) => {
      settle()
      // This process becomes the parent of the descendants only after the program has exited.
      for (const pid of descendants ?? []) killAndReap(pid)
      if (descendants === undefined) resolve(code ?? 137)
      else reject(new Error('context deadline exceeded'))
    })
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

/** Parses a pid file of the runtime program. */
export const parsePid = (text: string): number => {
  const pid = Number(text)
  // Zero and negative numbers would mean process groups, and 1 is the init process.
  if (!Number.isInteger(pid) || pid <= 1)
    throw new Error(`the runtime returned an invalid pid: "${text.trim()}"`)
  return pid
}
