/** Starts a local cluster in a process of its own, which goes on when this one ends. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { halfMadePrefix, stateFolder, whileStateLocked } from '../../engines/local/machine/index.ts'
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

const lastWords = (log: string): string => {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' ')
  } catch {
    return 'its log went with it'
  }
}

export const startInBackground = async (
  options: UpOptions,
  progress: (line: string) => void,
): Promise<Announcement> => {
  const log = whileStateLocked(stateFolder(), () => {
    const path = `${halfMadePrefix(stateFolder())}log`
    closeSync(openSync(path, 'w', 0o600))
    return path
  })
  const output = openSync(log, 'a')
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, JSON.stringify({ options, log })], {
    detached: true,
    cwd: '/',
    env: { ...process.env, REMEDIUM_STATE: stateFolder() },
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  let interrupted = false
  const interrupt = (): void => {
    interrupted = true
    // It gives up, cleans up and ends when nobody listens any more.
    if (child.connected) child.disconnect()
  }
  for (const signal of SIGNALS) process.on(signal, interrupt)
  try {
    return await new Promise<Announcement>((resolve, reject) => {
      let failure: Error | undefined
      let words = log
      child.on('message', ({ progress: line, log: moved, ready, error }: Message) => {
        if (line !== undefined) progress(line)
        if (moved !== undefined) words = moved
        if (error !== undefined) {
          failure = new RemediumError(error.code, error.message, { hint: error.hint, blame: error.blame })
        }
        if (ready === undefined || interrupted) return
        child.send({ keep: true }, () => {
          child.unref()
          resolve(ready)
        })
      })
      child.once('error', reject)
      child.once('exit', () => {
        if (interrupted) reject(new RemediumError('interrupted', 'The cluster was not started.'))
        else
          reject(
            failure ??
              new RemediumError('defect', `The process of the cluster ended by itself: ${lastWords(words)}`),
          )
      })
    })
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    whileStateLocked(stateFolder(), () => rmSync(log, { force: true }))
  }
}
