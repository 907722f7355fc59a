/**
 * Gives the clusters of the end-to-end tests a separate state folder, so that neither the user's clusters nor the tests of another
 * checkout are touched. The folder is the same in every run of a checkout. Clusters in it are removed before and after a run, and when
 * the run is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CHECKOUT = createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 12)

/** A test run that another program starts, such as a proof, sets a different folder. */
export const STATE = process.env.REMEDIUM_E2E_STATE ?? join(tmpdir(), `remedium-e2e-${CHECKOUT}`)

const CLEAR_AWAY = join(import.meta.dirname, 'clear-away.ts')

const startCleanup = (): ChildProcess =>
  spawn(process.execPath, [CLEAR_AWAY, STATE], {
    // A separate process group, which survives Ctrl-C in the terminal.
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })

const finishCleanup = async (cleanup: ChildProcess): Promise<void> => {
  const ended = once(cleanup, 'exit')
  cleanup.stdin!.end('done')
  const [code] = await ended
  if (code !== 0) throw new Error(`the state folder of the tests could not be cleared: code ${code}`)
}

/** Returns the teardown. Projects share this module, and each calls the set-up. */
const setUp = async (): Promise<() => Promise<void>> => {
  await finishCleanup(startCleanup())
  const waitingCleanup = startCleanup()
  return () => finishCleanup(waitingCleanup)
}

export default setUp
