/** Starts a local cluster in a process of its own, which goes on when this one ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  halfMadePrefix,
  pruneClusters,
  stateFolder,
  whileStateLocked,
} from '../../engines/local/machine/index.ts'
import { createRealClock } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import type { Announcement } from './run-local-cluster.ts'
import type { UpOptions } from './up-options.ts'

interface Message {
  progress?: string
  /** Where it writes from now on what goes wrong. */
  log?: string
  ready?: Announcement
  error?: { code: 'defect'; message: string; hint?: string; blame: 'harness' }
}

const PROGRAM = join(import.meta.dirname, 'background-cluster.ts')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** What an interrupted cluster gets for cleaning up. */
const PATIENCE_MS = 30_000

/** The line of its log that says most, if any. */
const lastWords = (log: string): string | undefined => {
  try {
    // Node writes the error, where it was thrown, and its own version.
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /^\S/.test(line) && !line.startsWith('Node.js v'))
    return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1)
  } catch {
    return undefined
  }
}

const toLoss = (log: string, code: number | null, signal: string | null): RemediumError => {
  const words = lastWords(log)
  const said = words === undefined ? '.' : `: ${words}`
  return signal === null
    ? new RemediumError(
        'defect',
        `The process of the cluster ended with code ${code} before it was ready${said}`,
      )
    : new RemediumError(
        'cluster-lost',
        `The process of the cluster was ended by ${signal} before it was ready${said}`,
        {
          hint:
            signal === 'SIGKILL' ? 'Somebody killed it, or the kernel did for want of memory.' : undefined,
        },
      )
}

const makeLog = (): string =>
  whileStateLocked(stateFolder(), () => {
    const path = `${halfMadePrefix(stateFolder())}log`
    closeSync(openSync(path, 'w', 0o600))
    return path
  })

const launch = (options: UpOptions, log: string): ChildProcess => {
  const output = openSync(log, 'a')
  try {
    return spawn(process.execPath, [...process.execArgv, PROGRAM, JSON.stringify({ options, log })], {
      detached: true,
      cwd: '/',
      env: { ...process.env, REMEDIUM_STATE: stateFolder() },
      stdio: ['ignore', output, output, 'ipc'],
    })
  } finally {
    closeSync(output)
  }
}

/** What the process says when it is ready; rejects when it has ended before. */
const announcementOf = (
  child: ChildProcess,
  { log, signal, progress }: { log: string; signal: AbortSignal; progress(line: string): void },
): Promise<Announcement> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined
    let words = log
    child.on('message', ({ progress: line, log: moved, ready, error }: Message) => {
      if (line !== undefined) progress(line)
      if (moved !== undefined) words = moved
      if (error !== undefined) {
        failure = new RemediumError(error.code, error.message, { hint: error.hint, blame: error.blame })
      }
      if (ready === undefined || signal.aborted) return
      child.send({ keep: true }, () => {
        child.unref()
        resolve(ready)
      })
    })
    child.once('error', reject)
    child.once('exit', (code, ending) => {
      const fail = (): void =>
        reject(
          signal.aborted
            ? new RemediumError('interrupted', 'The cluster was not started.')
            : (failure ?? toLoss(words, code, ending)),
        )
      // What it said last may still be under way.
      if (child.connected) child.once('disconnect', fail)
      else fail()
    })
  })

export const startInBackground = async (
  options: UpOptions,
  progress: (line: string) => void,
): Promise<Announcement> => {
  const clock = createRealClock({ keepsAlive: true })
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  for (const name of SIGNALS) process.on(name, interrupt)
  const { signal } = interrupted
  const log = makeLog()
  try {
    const child = launch(options, log)
    let last: { cancel(): void } | undefined
    signal.addEventListener('abort', () => {
      // It gives up, cleans up and ends when nobody listens any more.
      if (child.connected) child.disconnect()
      last = clock.after(PATIENCE_MS, () => child.kill('SIGKILL'))
    })
    return await announcementOf(child, { log, signal, progress }).finally(() => last?.cancel())
  } catch (error) {
    // Whatever kept it from cleaning up by itself.
    await pruneClusters(stateFolder(), clock)
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
    whileStateLocked(stateFolder(), () => rmSync(log, { force: true }))
  }
}
