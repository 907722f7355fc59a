/** The program of processes that fork at prepared incidents; each fork makes one attempt of a validation. */
import { shortenStart } from '#lab/start'

shortenStart()
const { loadFaults } = await import('#exam/faults')
const { serveIncidents } = await import('#lab/workers')
const { makeForkedAttempt, maxAttemptMsOf } = await import('./worker/make-forked-attempt.ts')

await serveIncidents(makeForkedAttempt, { loadFaults, maxMsOf: maxAttemptMsOf })
