/** Starts a local cluster in a background process, which keeps running after this process ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRealClock } from '#kit'
import { cleanUp } from '#lab/workers'
import { draftPrefix, stateFolder, withStateLock } from '#platform/engines/folders'
import { RemediumError } from '#spec'
import type { Announcement } from './run-cluster.ts'
import type { UpOptions } from './up-options.ts'

interface Message {
  progress?: string
  /** The new path of the log file. */
  log?: string
  ready?: Announcement
  error?: { code: 'defect'; message: string; hint?: string; blame: 'harness' }
}

const PROGRAM = join(import.meta.dirname, 'background-cluster.ts')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** The time for an interrupted cluster to clean up. */
const CLEANUP_TIMEOUT_MS = 30_000

/** Returns the last line of the log that looks like an error, or else the last line. */
const findErrorLine = (log: string): string | undefined => {
  try {
    // Node prints the error, its stack, and its own version.
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => /^\S/.test(line) && !line.startsWith('Node.js v'))
    return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1)
  } catch {
    return undefined
  }
}

const toEarlyExitError = (log: string, code: number | null, signal: string | null): RemediumError => {
  const line = findErrorLine(log)
  const reason = line === undefined ? '.' : `: ${line}`
  return signal === null
    ? new RemediumError(
        'defect',
        `The process of the cluster ended with code ${code} before it was ready${reason}`,
      )
    : new RemediumError(
        'cluster-lost',
        `The process of the cluster was ended by ${signal} before it was ready${reason}`,
        {
          hint:
            signal === 'SIGKILL'
              ? 'The kernel kills processes when the machine is out of memory.'
              : undefined,
        },
      )
}

const createLog = (): string =>
  withStateLock(stateFolder(), () => {
    const path = `${draftPrefix(stateFolder())}log`
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

/** Resolves when the cluster is ready; rejects if the process ends before that. */
const waitForAnnouncement = (
  child: ChildProcess,
  { log, signal, progress }: { log: string; signal: AbortSignal; progress(line: string): void },
): Promise<Announcement> =>
  new Promise((resolve, reject) => {
    let failure: Error | undefined
    let logPath = log
    child.on('message', ({ progress: line, log: moved, ready, error }: Message) => {
      if (line !== undefined) progress(line)
      if (moved !== undefined) logPath = moved
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
    child.once('exit', (code, exitSignal) => {
      const fail = (): void =>
        reject(
          signal.aborted
            ? new RemediumError('interrupted', 'The cluster was not started.')
            : (failure ?? toEarlyExitError(logPath, code, exitSignal)),
        )
      // Its last messages may still be in the channel.
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
  const log = createLog()
  try {
    const child = launch(options, log)
    let killTimer: { cancel(): void } | undefined
    signal.addEventListener('abort', () => {
      // The process cleans up and exits when the channel closes.
      if (child.connected) child.disconnect()
      killTimer = clock.after(CLEANUP_TIMEOUT_MS, () => child.kill('SIGKILL'))
    })
    return await waitForAnnouncement(child, { log, signal, progress }).finally(() => killTimer?.cancel())
  } catch (error) {
    // Removes leftovers that the process could not clean up.
    await cleanUp()
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
    withStateLock(stateFolder(), () => rmSync(log, { force: true }))
  }
}
