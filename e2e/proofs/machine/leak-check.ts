/** Whether the machine is what it was after clusters have come and gone, some of them by SIGKILL. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runVictims, type VictimPlan } from './run-victims.ts'
import { compareSnapshots, type Difference, takeSnapshot } from './snapshot.ts'
import { watchTraces } from './traces.ts'

const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')
const SETTLE_MS = 15_000
const PAUSE_MS = 250

export interface LeakCheck extends Omit<VictimPlan, 'folders' | 'signal'> {
  /** An empty folder of its own. */
  home: string
  signal?: AbortSignal
}

export interface Leaks {
  /** What the clusters have left, or taken away. */
  ours: readonly Difference[]
  /** What bears no sign of them: others have been at work on this machine. */
  others: readonly Difference[]
}

const prune = (state: string): string => {
  const env = { ...process.env, REMEDIUM_STATE: state }
  const { status, stdout, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune: ${stderr}`)
  return stdout.trim()
}

export const checkForLeaks = async (check: LeakCheck): Promise<Leaks> => {
  const { home, say, signal = new AbortController().signal } = check
  const folders = { state: join(home, 'state'), temporary: join(home, 'tmp') }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  // The first use makes what stays: the compile cache.
  prune(folders.state)
  const before = takeSnapshot(folders)
  const traces = watchTraces(folders)
  try {
    await runVictims({ ...check, folders, signal })
  } finally {
    traces.stop()
    say(`remedium cluster prune: ${prune(folders.state)}`)
  }
  say(traces.summary())
  // Processes need a moment to be reaped by whoever has to.
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const after = takeSnapshot(folders)
    const leaks = traces.split(compareSnapshots(before, after), after)
    if (leaks.ours.length === 0 || performance.now() > deadline) {
      for (const [what, lines] of Object.entries(before))
        say(`compared: ${what.padEnd(16)} ${lines.size} before, ${after[what]!.size} after`)
      return leaks
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
