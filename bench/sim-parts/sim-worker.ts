/** A process that plays episodes of one problem, one after another, and sends their figures. Arguments: problem as JSON, warm-ups, episodes. */
import type { Problem } from '#spec'
import { type EpisodeFigures, playEpisode } from './play-episode.ts'

export interface WorkerFigures {
  readonly episodes: readonly EpisodeFigures[]
  /** The peak of its resident memory. */
  readonly peakMib: number
}

export type WorkerReply = WorkerFigures | { readonly error: string }

const play = async (problem: Problem, warmUps: number, count: number): Promise<WorkerFigures> => {
  for (let played = 0; played < warmUps; played += 1) await playEpisode(problem)
  const episodes: EpisodeFigures[] = []
  while (episodes.length < count) episodes.push(await playEpisode(problem))
  return { episodes, peakMib: process.resourceUsage().maxRSS / 1024 }
}

const [problem, warmUps, count] = process.argv.slice(2)
const reply: WorkerReply = await play(JSON.parse(problem!) as Problem, Number(warmUps), Number(count)).catch(
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
)
process.send!(reply, () => process.exit())
