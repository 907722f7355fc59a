/** A run: many episodes of agents with problems, in a folder that tells all about it. */

import type { EpisodeMetrics, Judgement, Verdict } from './episode.ts'
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

/** What holds for every episode of a run, beside what its problems say. */
export interface RunSettings {
  /** Of one episode; no limit where absent. */
  readonly mostTokens?: number
  readonly mostCostUsd?: number
  /** Names of the only actions that agents may take; all where absent. */
  readonly allow?: readonly string[]
  /** Names of actions that agents may not take. */
  readonly deny?: readonly string[]
  /** Where the models of OpenAI-compatible providers are asked for. */
  readonly baseUrl?: string
  /** By provider, where the environment said that it is when the run began: whoever goes on with it asks there. */
  readonly addresses?: Readonly<Record<string, string>>
  /** How models call tools; `auto` where absent: by the interface for them until the endpoint refuses it, then in text. */
  readonly tools?: 'native' | 'text'
  /** What a million tokens cost in US dollars, as `IN,OUT` or `IN,OUT,CACHED`; the listed prices where absent. */
  readonly price?: string
  /** The file to which every conversation with a model is added; an absolute path. */
  readonly recordTo?: string
  /** The command line of the agent `external`. */
  readonly external?: string
  /** Where that program is started: the folder in which the run was begun, an absolute path; the present one where absent. */
  readonly externalFolder?: string
  /** By the name of the agent, what is to be other than it is by itself. */
  readonly agentOptions?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Somebody is asked before an action that changes something. */
  readonly isApproved?: boolean
  /** Signals are kept in `telemetry`, a SQLite file for each cluster that was used. */
  readonly keepsTelemetry?: boolean
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
  /** When what a playbook did is taken back: where it failed; with `on-harm` also where what was ready does not become so again. */
  readonly rollback: 'never' | 'on-failure' | 'on-harm'
  /** Which of the suites a problem came from, by its id. */
  readonly suiteOf: Readonly<Record<string, string>>
  readonly settings: RunSettings
}

/** One line of `results.jsonl`: an episode that has ended. Of one `episode` the last line counts. */
export interface EpisodeResult {
  /** `PROBLEM.CONTENDER-NUMBER.EPOCH`; its record is `records/EPISODE.jsonl`, the name cut where it is too long for a file. */
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
  /** Of the error that made it void. */
  readonly code?: string
  readonly reason: string
  /** Whether what each oracle looked for held; nothing of void ones. */
  readonly judged: Readonly<Partial<Record<Judgement['oracle'], boolean>>>
  readonly metrics: EpisodeMetrics
  /** Milliseconds of its stages, as far as it came. */
  readonly stages: Readonly<Record<string, number>>
  /** How many times it was begun, and why it was begun again. */
  readonly tries: number
  readonly failures?: readonly string[]
  /** When it ended, milliseconds since the epoch. */
  readonly ended: number
}
