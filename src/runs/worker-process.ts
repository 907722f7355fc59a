/** The process of a worker. It gets its orders over the channel of Node. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', '..', '.remedium', 'compile-cache'))
const { createEpisodeServer } = await import('./worker/create-episode-server.ts')
const { serveJobs } = await import('./worker/serve-jobs.ts')

serveJobs(createEpisodeServer())
