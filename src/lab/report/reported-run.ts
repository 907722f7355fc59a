/** A run as the input of the report: plan, results and records. */
import type { RunSummary } from '#lab/runs'
import type { EpisodeEvent, EpisodeResult, RunManifest } from '#spec'

export interface ReportedRun {
  /** The name of its folder. */
  readonly name: string
  readonly manifest: RunManifest
  /** The final result of each finished episode. */
  readonly results: readonly EpisodeResult[]
  readonly summary: RunSummary
  /** The path of a record, relative to the run folder. */
  recordPath(episode: string): string
  /** Throws if the record cannot be read. */
  record(episode: string): readonly EpisodeEvent[]
}
