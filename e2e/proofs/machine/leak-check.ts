/** Compares the machine before and after clusters have run, some of which were killed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runVictims, type VictimPlan } from './run-victims.ts'
import { compareSnapshots, type Difference, takeSnapshot } from './snapshot.ts'
import { watchClusters } from './watch-clusters.ts'

const REMEDIUM = join(import.meta.dirname, '..', '..', '..', 'remedium')
const CLEANUP_MS = 15_000
const POLL_MS = 250

export interface LeakCheck extends Omit<VictimPlan, 'folders' | 'signal'> {
  /** An empty folder. */
  home: string
  signal?: AbortSignal
}

export interface Leaks {
  /** Changes that the clusters left. */
  fromClusters: readonly Difference[]
  /** Changes by other programs. */
  others: readonly Difference[]
}

const prune = (state: string): string => {
  const env = { ...process.env, REMEDIUM_STATE: state }
  const { status, stdout, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune: ${stderr}`)
  return stdout.trim()
}

export const checkForLeaks = async (check: LeakCheck): Promise<Leaks> => {
  const { home, onProgress, signal = new AbortController().signal } = check
  const folders = { state: join(home, 'state'), temporary: join(home, 'tmp') }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  // The first call creates the compile cache, which is not a leak.
  prune(folders.state)
  const before = takeSnapshot(folders)
  const watch = watchClusters(folders)
  try {
    await runVictims({ ...check, folders, signal })
  } finally {
    watch.stop()
    onProgress(`remedium cluster prune: ${prune(folders.state)}`)
  }
  onProgress(watch.summary())
  // Killed processes remain until their parent reaps them.
  const deadline = performance.now() + CLEANUP_MS
  for (;;) {
    const after = takeSnapshot(folders)
    const leaks = watch.split(compareSnapshots(before, after), after)
    if (leaks.fromClusters.length === 0 || performance.now() > deadline) {
      for (const [kind, lines] of Object.entries(before))
        onProgress(`compared: ${kind.padEnd(16)} ${lines.size} before, ${after[kind]!.size} after`)
      return leaks
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
