/** The program of a worker process that plays the episodes of the gym. */
import { shortenStart } from '#lab/start'

shortenStart()
const { serveJobs } = await import('#lab/workers')
const { createSessionServer } = await import('./worker/serve-sessions.ts')

serveJobs(createSessionServer())
