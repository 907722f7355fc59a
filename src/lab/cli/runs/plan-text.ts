/** The plan of a run for --dry-run, as data and as a table. */
import { estimateRun, estimateText, type RunEstimate } from '#lab/launch'
import { planEpisodes, unfinishedOf } from '#lab/runs'
import { toTable } from '#lab/text'
import type { EpisodeResult, RunManifest } from '#spec'

export interface RunPlan {
  readonly planned: number
  readonly left: number
  readonly estimate: RunEstimate
  readonly episodes: readonly {
    readonly episode: string
    readonly problem: string
    readonly contender: string
    readonly epoch: number
    readonly finished: boolean
  }[]
}

export const planRun = async (
  { manifest, results }: { readonly manifest: RunManifest; readonly results: readonly EpisodeResult[] },
  { workers, folder }: { readonly workers: number; readonly folder: string },
): Promise<RunPlan> => {
  const unfinished = unfinishedOf(manifest, results)
  const left = new Set(unfinished.map(({ episode }) => episode))
  const episodes = planEpisodes(manifest).map(({ episode, problem, contender, epoch }) => ({
    episode,
    problem: problem.id,
    contender: contender.name,
    epoch,
    finished: !left.has(episode),
  }))
  const { settings } = manifest
  const estimate = await estimateRun({ left: unfinished, settings, workers, folder })
  return { planned: episodes.length, left: left.size, estimate, episodes }
}

export const planText = ({ planned, left, estimate, episodes }: RunPlan): string => {
  const rows = episodes.map(({ problem, contender, epoch, finished }) => [
    ...[problem, contender, String(epoch), finished ? 'finished' : 'planned'],
  ])
  const count = left === planned ? String(planned) : `${left} of ${planned}`
  const table = toTable(['PROBLEM', 'CONTENDER', 'EPOCH', 'STATE'], rows)
  const estimateSection = left === 0 ? '' : `\n\n${estimateText(estimate)}`
  return `${table}\n\n${count} episodes would be played.${estimateSection}`
}
