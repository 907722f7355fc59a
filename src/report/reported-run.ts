/** A run as the report needs it: what was to be done, what came of it, and the records as far as they can be read. */
import type { RunSummary } from '../runs/index.ts'
import type { EpisodeEvent, EpisodeResult, RunManifest } from '../spec/index.ts'

export interface ReportedRun {
  /** How the reader finds it again: the folder's name. */
  readonly name: string
  readonly manifest: RunManifest
  /** Of each episode that has ended, the one that counts. */
  readonly results: readonly EpisodeResult[]
  readonly summary: RunSummary
  /** Where its record lies, seen from the folder of the run. */
  recordPath(episode: string): string
  /** Throws where it cannot be read. */
  record(episode: string): readonly EpisodeEvent[]
}
