/** Waits for the end of its input, then removes the leftovers of killed clusters from a state folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const REMEDIUM = join(import.meta.dirname, '..', '..', 'remedium')
/** The processes of a killed run take time to exit. */
const TIMEOUT_MS = 10_000
const POLL_MS = 500

const state = process.argv[2]!

const prune = (): void => {
  const env = { ...process.env, REMEDIUM_STATE: state }
  const { status, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune exited with ${status}: ${stderr}`)
}

const wasKilled = (await text(process.stdin)) !== 'done'
const deadline = performance.now() + (wasKilled ? TIMEOUT_MS : 0)
prune()
while (existsSync(join(state, 'clusters')) && performance.now() < deadline) {
  await sleep(POLL_MS)
  prune()
}
try {
  rmdirSync(state)
} catch {
  // The folder does not exist, or clusters of another run use it.
}
