/** Waits for the end of its input, then removes what is left of dead clusters in a state folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const REMEDIUM = join(import.meta.dirname, '..', '..', 'remedium')
/** The processes of a run that was killed end one by one. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 500

const state = process.argv[2]!

const prune = (): void => {
  const env = { ...process.env, REMEDIUM_STATE: state }
  const { status, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune ended with ${status}: ${stderr}`)
}

const wasKilled = (await text(process.stdin)) !== 'done'
const deadline = performance.now() + (wasKilled ? PATIENCE_MS : 0)
prune()
while (existsSync(join(state, 'clusters')) && performance.now() < deadline) {
  await sleep(PAUSE_MS)
  prune()
}
try {
  rmdirSync(state)
} catch {
  // Clusters of another run live in it, or there were none.
}
