/**
 * The clusters of the end-to-end tests have a state folder of their own, the same in every run: what is left of a
 * run that was killed goes before the next one, and nothing of a user's clusters is touched.
 */
import { spawnSync } from 'node:child_process'
import { rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const STATE = join(tmpdir(), 'remedium-e2e-state')

const REMEDIUM = join(import.meta.dirname, '..', '..', 'remedium')

const prune = (): void => {
  const env = { ...process.env, REMEDIUM_STATE: STATE }
  const { status, stderr } = spawnSync(REMEDIUM, ['cluster', 'prune'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`remedium cluster prune ended with ${status}: ${stderr}`)
}

export const setup = prune

export const teardown = (): void => {
  prune()
  try {
    rmdirSync(STATE)
  } catch {
    // Another run is under way, or there was no cluster.
  }
}
