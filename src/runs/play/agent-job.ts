/** What a worker is told of one episode of an agent. */
import type { Problem, RunManifest, RunSettings } from '../../spec/index.ts'
import type { PlannedEpisode } from './plan-episodes.ts'

export interface AgentJob {
  readonly problem: Problem
  /** The one: the episode. */
  readonly attempts: readonly { readonly name: string }[]
  readonly planned: PlannedEpisode
  readonly settings: RunSettings
  readonly rollback: RunManifest['rollback']
  /** Where the episode's record is to be. */
  readonly record: string
  /** The file of kubectl, for the shell of agents; they have none where absent. */
  readonly kubectl?: string | undefined
  /** The folder for signals; none are kept where absent. */
  readonly telemetry?: string | undefined
}
