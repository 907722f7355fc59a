/** What a run would do, for those who want to know before it does. */
import { planEpisodes, unfinishedOf } from '../../runs/index.ts'
import type { EpisodeResult, RunManifest } from '../../spec/index.ts'
import { toTable } from '../table.ts'

export interface RunPlan {
  readonly planned: number
  readonly left: number
  readonly episodes: readonly {
    readonly episode: string
    readonly problem: string
    readonly contender: string
    readonly epoch: number
    readonly ended: boolean
  }[]
}

export const planRun = (manifest: RunManifest, results: readonly EpisodeResult[]): RunPlan => {
  const left = new Set(unfinishedOf(manifest, results).map(({ episode }) => episode))
  const episodes = planEpisodes(manifest).map(({ episode, problem, contender, epoch }) => ({
    episode,
    problem: problem.id,
    contender: contender.name,
    epoch,
    ended: !left.has(episode),
  }))
  return { planned: episodes.length, left: left.size, episodes }
}

export const planText = ({ planned, left, episodes }: RunPlan): string => {
  const rows = episodes.map(({ problem, contender, epoch, ended }) => [
    ...[problem, contender, String(epoch), ended ? 'has ended' : ''],
  ])
  const count = left === planned ? String(planned) : `${left} of ${planned}`
  return `${toTable(['PROBLEM', 'AGENT', 'EPOCH', ''], rows)}\n\n${count} episodes would be played.`
}
