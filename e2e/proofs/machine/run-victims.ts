/** Starts and ends clusters: some are closed, some are killed while they start or run, some while they close. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createRandom } from '#kit'
import type { Folders } from './snapshot.ts'

const VICTIM = join(import.meta.dirname, 'victim.ts')
/** Covers the time from the start of the process until the cluster has faults and load. */
const START_MS = 5000
/** Covers the usual duration of a close. */
const CLOSE_MS = 1000

export interface VictimPlan {
  clusters: number
  /** How many of them are killed. */
  killed: number
  /** How many clusters run at the same time. */
  slots: number
  seed: string
  folders: Folders
  signal: AbortSignal
  onProgress(line: string): void
}

interface Victim {
  readonly name: string
  readonly kill: { during: 'start or run' | 'close'; afterMs: number } | undefined
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

const waitForExit = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)))

const planVictims = ({ clusters, killed, seed }: VictimPlan): Victim[] => {
  const random = createRandom(seed)
  const closedEvery = Math.ceil(clusters / (clusters - killed))
  return Array.from({ length: clusters }, (_, index) => {
    const name = `leak-${index}`
    if (index % closedEvery === 0) return { name, kill: undefined }
    const during = index % 4 === 3 ? 'close' : 'start or run'
    return { name, kill: { during, afterMs: random.below(during === 'close' ? CLOSE_MS : START_MS) } }
  })
}

const requestClose = async (name: string, child: ChildProcess, end: Promise<string>): Promise<void> => {
  const isReady = await Promise.race([
    new Promise<boolean>((resolve) => child.once('message', () => resolve(true))),
    end.then(() => false),
  ])
  if (!isReady) throw new Error(`${name} did not become ready: ${await end}`)
  child.send('close')
}

/** Ends the cluster as planned, and returns a description of how it ended. */
const endVictim = async ({ name, kill }: Victim, child: ChildProcess): Promise<string> => {
  const end = waitForExit(child)
  if (kill?.during !== 'start or run') await requestClose(name, child, end)
  if (kill === undefined) {
    const outcome = await end
    if (outcome !== 'code 0') throw new Error(`${name} ended with ${outcome} instead of closing`)
    return 'closed'
  }
  await Promise.race([pause(kill.afterMs), end])
  child.kill('SIGKILL')
  return `killed ${kill.afterMs} ms into its ${kill.during} (${await end})`
}

export const runVictims = async (plan: VictimPlan): Promise<void> => {
  const { clusters, slots, folders, signal, onProgress } = plan
  const waiting = planVictims(plan)
  const running = new Set<ChildProcess>()
  const started = performance.now()
  let done = 0
  const env = { ...process.env, REMEDIUM_STATE: folders.state, TMPDIR: folders.temporary }
  const runSlot = async (): Promise<void> => {
    for (let victim = waiting.shift(); victim !== undefined; victim = waiting.shift()) {
      signal.throwIfAborted()
      const child = fork(VICTIM, [victim.name], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      running.add(child)
      child.once('exit', () => running.delete(child))
      const outcome = await endVictim(victim, child)
      done += 1
      const seconds = Math.round((performance.now() - started) / 1000)
      onProgress(`${done} of ${clusters}, ${seconds} s: ${victim.name} ${outcome}`)
    }
  }
  const killAll = (): void => {
    for (const child of running) child.kill('SIGKILL')
  }
  signal.addEventListener('abort', killAll)
  try {
    await Promise.all(Array.from({ length: slots }, runSlot))
  } finally {
    signal.removeEventListener('abort', killAll)
    waiting.length = 0
    killAll()
  }
}
