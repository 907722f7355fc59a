/** The OCI runtime program: it is started for one thing, does it, and is gone again. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Clock } from '../kit/index.ts'
import { childReaper } from '../linux/index.ts'

/** As long as a kubelet waits for its runtime. */
const PATIENCE_MS = 120_000

export interface OciCommand {
  clock: Clock
  /** `runc`, or another that takes the same arguments. */
  program: string
  args: readonly string[]
  stdio: SpawnOptions['stdio']
  /** Environment by which it can be found. */
  marker: Readonly<Record<string, string>>
  /** Nobody needs it any more. */
  signal?: AbortSignal | undefined
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )

/** All that it has started; nothing where it has just ended. */
const familyOf = (pid: number): number[] => {
  try {
    return childrenOf(pid).flatMap((child) => [child, ...familyOf(child)])
  } catch {
    return []
  }
}

/** An orphan of ours that nobody waits for would keep the process namespace that it is in from ending. */
const bury = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
  childReaper().adopt(pid, () => {})
}

/** Gives its exit code. Kills it with all that it has started, and rejects, when it takes too long or is given up. */
export const runOciProgram = ({ clock, program, args, stdio, marker, signal }: OciCommand): Promise<number> =>
  new Promise((resolve, reject) => {
    // Before there is an orphan.
    childReaper()
    const child = spawn(program, args, {
      // One thread is enough for what it does, and spares the others' cores.
      env: { PATH: process.env.PATH, GOMAXPROCS: '1', ...marker },
      ...(stdio === undefined ? {} : { stdio }),
    })
    let family: readonly number[] | undefined
    const giveUp = (): void => {
      // It must start nobody while it is looked at.
      child.kill('SIGSTOP')
      family = child.pid === undefined ? [] : familyOf(child.pid)
      child.kill('SIGKILL')
    }
    const timer = clock.after(PATIENCE_MS, giveUp)
    const settle = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', giveUp)
    }
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('exit', (code) => {
      settle()
      // Only now they are ours.
      for (const pid of family ?? []) bury(pid)
      if (family === undefined) resolve(code ?? 137)
      else reject(new Error('context deadline exceeded'))
    })
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })

/** The number of a process from a file that the program has written. */
export const parsePid = (text: string): number => {
  const pid = Number(text)
  // Zero and less would stand for whole groups of processes.
  if (!Number.isInteger(pid) || pid <= 1)
    throw new Error(`the runtime names no process, but "${text.trim()}"`)
  return pid
}
