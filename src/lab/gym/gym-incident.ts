/** The program of processes that fork at prepared incidents; each fork plays a session of the gym for one episode. */
import { shortenStart } from '#lab/start'

shortenStart()
const { loadFaults } = await import('#exam/faults')
const { serveIncidents } = await import('#lab/workers')
const { maxStepMsOf } = await import('./pool/call-times.ts')
const { playForkedSession } = await import('./worker/play-forked-session.ts')

await serveIncidents(playForkedSession, { loadFaults, maxMsOf: maxStepMsOf })
