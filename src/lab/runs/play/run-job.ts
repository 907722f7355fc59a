/** The job of a worker: one episode of a run. */
import type { Problem, RunManifest, RunSettings } from '#spec'
import type { PlannedEpisode } from './plan-episodes.ts'

export interface RunJob {
  readonly problem: Problem
  readonly planned: PlannedEpisode
  /** The name of the engine. */
  readonly engine: string
  readonly settings: RunSettings
  readonly rollback: RunManifest['rollback']
  /** The path of the episode's record. */
  readonly record: string
  /** The path of kubectl, for the shell of agents; without it the shell has none. */
  readonly kubectl?: string | undefined
  /** The folder for telemetry files; none are kept by default. */
  readonly telemetry?: string | undefined
}
