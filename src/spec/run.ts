/** A run: many episodes of agents with problems, in a folder that tells all about it. */

import type { EpisodeMetrics, Verdict } from './episode.ts'
import type { Blame } from './errors.ts'
import type { FaultCategory } from './fault.ts'
import type { Problem, Task } from './problem.ts'

export const RUN_SCHEMA = 1

/** Who tries: an agent with its models. */
export interface Contender {
  /** How tables name it: `react openai:gpt-5`, or the agent's name where it needs no model. */
  readonly name: string
  readonly agent: string
  /** `provider:name` by the agent's roles; empty where it needs none. */
  readonly models: Readonly<Record<string, string>>
}

/** `manifest.json` of a run's folder: what is to be done. Written once, at its beginning. */
export interface RunManifest {
  readonly schema: typeof RUN_SCHEMA
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly created: number
  readonly command: string
  readonly commit: string
  readonly version: string
  readonly engine: string
  readonly seed: string
  /** What the user named: `easy`, a file, ids. */
  readonly suites: readonly string[]
  readonly problems: readonly Problem[]
  readonly contenders: readonly Contender[]
  /** How many times each contender tries each problem. */
  readonly epochs: number
  readonly rollback: 'never' | 'on-failure'
}

/** One line of `results.jsonl`: an episode that has ended. Of one `episode` the last line counts. */
export interface EpisodeResult {
  /** `PROBLEM.CONTENDER-NUMBER.EPOCH`; its record is `records/EPISODE.jsonl`. */
  readonly episode: string
  readonly problem: string
  readonly system: string
  readonly task: Task
  /** Names of the faults, in the problem's order. */
  readonly faults: readonly string[]
  readonly categories: readonly FaultCategory[]
  /** Which suite the problem came from. */
  readonly suite: string
  readonly contender: string
  readonly epoch: number
  readonly outcome: Verdict['outcome']
  readonly blame?: Blame
  readonly reason: string
  readonly metrics: EpisodeMetrics
  /** Milliseconds of its stages, as far as it came. */
  readonly stages: Readonly<Record<string, number>>
  /** How many times it was begun, and why it was begun again. */
  readonly tries: number
  readonly failures?: readonly string[]
}
