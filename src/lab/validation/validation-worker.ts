/** The program of a worker process that makes the attempts of validations. */
import { shortenStart } from '#lab/start'

shortenStart()
const { serveJobs } = await import('#lab/workers')
const { createProblemValidator } = await import('./worker/validate-problem.ts')

serveJobs(createProblemValidator())
