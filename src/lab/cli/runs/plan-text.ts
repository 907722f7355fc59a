/** The plan of a run for --dry-run, as data and as a table. */
import { planEpisodes, unfinishedOf } from '#lab/runs'
import { toTable } from '#lab/text'
import type { EpisodeResult, RunManifest } from '#spec'

export interface RunPlan {
  readonly planned: number
  readonly left: number
  readonly episodes: readonly {
    readonly episode: string
    readonly problem: string
    readonly contender: string
    readonly epoch: number
    readonly finished: boolean
  }[]
}

export const planRun = (manifest: RunManifest, results: readonly EpisodeResult[]): RunPlan => {
  const left = new Set(unfinishedOf(manifest, results).map(({ episode }) => episode))
  const episodes = planEpisodes(manifest).map(({ episode, problem, contender, epoch }) => ({
    episode,
    problem: problem.id,
    contender: contender.name,
    epoch,
    finished: !left.has(episode),
  }))
  return { planned: episodes.length, left: left.size, episodes }
}

export const planText = ({ planned, left, episodes }: RunPlan): string => {
  const rows = episodes.map(({ problem, contender, epoch, finished }) => [
    ...[problem, contender, String(epoch), finished ? 'finished' : 'planned'],
  ])
  const count = left === planned ? String(planned) : `${left} of ${planned}`
  return `${toTable(['PROBLEM', 'CONTENDER', 'EPOCH', 'STATE'], rows)}\n\n${count} episodes would be played.`
}
