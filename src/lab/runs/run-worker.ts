/** The program of a worker process that plays the episodes of runs. */
import { shortenStart } from '#lab/start'

shortenStart()
const { serveJobs } = await import('#lab/workers')
const { createEpisodePlayer } = await import('./worker/play-episode.ts')

serveJobs(createEpisodePlayer())
