/**
 * The clusters of the end-to-end tests have a state folder of their own, the same in every run, so that nothing of a
 * user's clusters is touched; before and after a run, and when it was killed, what is left in it is cleared away.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const STATE = join(tmpdir(), 'remedium-e2e-state')

const CLEAR_AWAY = join(import.meta.dirname, 'clear-away.ts')

const startClearing = (): ChildProcess =>
  spawn(process.execPath, [CLEAR_AWAY, STATE], {
    // A group of its own: it outlives whoever ends the tests from a terminal.
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })

const finish = async (clearing: ChildProcess): Promise<void> => {
  const ended = once(clearing, 'exit')
  clearing.stdin!.end('done')
  const [code] = await ended
  if (code !== 0) throw new Error(`What tests left could not be cleared away: code ${code}.`)
}

let waiting: ChildProcess

export const setup = async (): Promise<void> => {
  await finish(startClearing())
  waiting = startClearing()
}

export const teardown = (): Promise<void> => finish(waiting)
