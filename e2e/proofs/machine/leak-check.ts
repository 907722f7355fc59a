/** Clusters that come and go, some of them by SIGKILL, and whether the machine is afterwards what it was. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../../src/kit/index.ts'
import { compareSnapshots, type Difference, ofClusters, type Snapshot, takeSnapshot } from './snapshot.ts'

const VICTIM = join(import.meta.dirname, 'victim.ts')
const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')
/** From before the cluster is claimed until it has faults and load. */
const KILL_WITHIN_MS = 5000
const SETTLE_MS = 15_000

export interface LeakCheck {
  clusters: number
  /** How many of them are killed. */
  killed: number
  /** At the same time. */
  lanes: number
  seed: string
  state: string
  /** Whether others may be at work on this machine: then only what tells of these clusters is compared. */
  amongOthers: boolean
  say(line: string): void
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

const ended = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)))

const closeOne = async (name: string, child: ChildProcess, say: LeakCheck['say']): Promise<void> => {
  const end = ended(child)
  const isReady = await Promise.race([
    new Promise<boolean>((resolve) => child.once('message', () => resolve(true))),
    end.then(() => false),
  ])
  if (!isReady) throw new Error(`${name} did not become ready: ${await end}`)
  child.send('close')
  const how = await end
  if (how !== 'code 0') throw new Error(`${name} ended with ${how} instead of closing`)
  say(`${name}: closed`)
}

const killOne = async (
  name: string,
  child: ChildProcess,
  afterMs: number,
  say: LeakCheck['say'],
): Promise<void> => {
  const end = ended(child)
  await Promise.race([pause(afterMs), end])
  child.kill('SIGKILL')
  say(`${name}: killed after ${afterMs} ms (${await end})`)
}

const prune = (state: string): string => {
  const env = { ...process.env, REMEDIUM_STATE: state }
  const { status, stdout, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune: ${stderr}`)
  return stdout.trim()
}

/** Collects the ids of all clusters that there ever are, because those that are killed cannot tell. */
const watchIds = (state: string): { ids: ReadonlySet<string>; stop(): void } => {
  const ids = new Set<string>()
  const timer = setInterval(() => {
    const folder = join(state, 'clusters')
    const names = existsSync(folder) ? readdirSync(folder) : []
    for (const name of names) if (!name.startsWith('.')) ids.add(name)
  }, 5)
  return { ids, stop: () => clearInterval(timer) }
}

const runVictims = async ({ clusters, killed, lanes, seed, state, say }: LeakCheck): Promise<void> => {
  const random = createRandom(seed)
  const every = Math.ceil(clusters / (clusters - killed))
  const victims = Array.from({ length: clusters }, (_, index) => ({
    name: `leak-${index}`,
    killAfterMs: index % every === 0 ? undefined : random.below(KILL_WITHIN_MS),
  }))
  const lane = async (): Promise<void> => {
    for (let victim = victims.shift(); victim !== undefined; victim = victims.shift()) {
      const env = { ...process.env, REMEDIUM_STATE: state }
      const child = fork(VICTIM, [victim.name], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      if (victim.killAfterMs === undefined) await closeOne(victim.name, child, say)
      else await killOne(victim.name, child, victim.killAfterMs, say)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** What is different on the machine afterwards. */
export const checkForLeaks = async (check: LeakCheck): Promise<Difference[]> => {
  const { state, say, amongOthers } = check
  // The first use makes what stays: the compile cache.
  prune(state)
  const watched = watchIds(state)
  const ofAll = takeSnapshot(state)
  await runVictims(check)
  watched.stop()
  say(prune(state))
  const names = [state, ...watched.ids]
  const select = (snapshot: Snapshot): Snapshot => (amongOthers ? ofClusters(snapshot, names) : snapshot)
  const before = select(ofAll)
  for (const [what, lines] of Object.entries(before)) say(`compared: ${what} (${lines.size} before)`)
  // Processes need a moment to be reaped by whoever has to.
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const differences = compareSnapshots(before, select(takeSnapshot(state)))
    if (differences.length === 0 || performance.now() > deadline) return differences
    await pause(250)
  }
}
