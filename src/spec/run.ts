/** A run: many episodes of agents, kept in one folder. */

import type { EpisodeMetrics, Holds, Judgement, Verdict } from './episode.ts'
import type { Blame } from './errors.ts'
import type { FaultCategory } from './fault.ts'
import type { SamplingSettings } from './model.ts'
import type { Problem } from './problem.ts'
import type { Task } from './tasks/index.ts'

export const RUN_SCHEMA = 2

/** A contender: an agent with its models. */
export interface Contender {
  /** Its name in tables: `react openai:gpt-5`, or the agent's name if it needs no model. */
  readonly name: string
  readonly agent: string
  /** `provider:name` by the agent's roles; empty if it needs none. */
  readonly models: Readonly<Record<string, string>>
}

/** How much time the thinking of an agent takes on a simulated cluster: as much as measured, or none. */
export const THINKING_TIMES = ['measured', 'none'] as const
export type ThinkingTime = (typeof THINKING_TIMES)[number]

/** Settings for all episodes of a run. */
export interface RunSettings {
  /** The limit for one episode; unlimited by default. */
  readonly maxTokens?: number
  readonly maxCostUsd?: number
  /** The only actions that agents may use; all by default. */
  readonly allow?: readonly string[]
  /** Actions that agents may not use. */
  readonly deny?: readonly string[]
  /** The address of OpenAI-compatible providers. */
  readonly baseUrl?: string
  /** Addresses by provider, from the environment at the start of the run. A resumed run uses them. */
  readonly addresses?: Readonly<Record<string, string>>
  /**
   * How models call tools. By default, native calls are tried first, and text if the endpoint rejects them.
   */
  readonly tools?: 'native' | 'text'
  /** Applies to all models. */
  readonly sampling?: SamplingSettings
  /** US dollars per million tokens, as `IN,OUT` or `IN,OUT,CACHED`; the listed prices by default. */
  readonly price?: string
  /** The file to which all conversations with models are appended; an absolute path. */
  readonly recordTo?: string
  /** The command line of the agent `external`. */
  readonly external?: string
  /** The working directory of that program, an absolute path; the current directory by default. */
  readonly externalFolder?: string
  /** Options by the name of the agent. */
  readonly agentOptions?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * Whether the time that models and external agents take passes on simulated clusters, too. `measured` by default. Records depend
   * on the real time of such agents unless it is `none`.
   */
  readonly thinkingTime?: ThinkingTime
  /** The operator must approve each action that may make changes. */
  readonly isApproved?: boolean
  /** External agents receive the verdict after each episode. */
  readonly reportsVerdict?: boolean
  /** Telemetry is kept in the folder `telemetry`, a SQLite file for each cluster. */
  readonly keepsTelemetry?: boolean
  /** After each verdict, the laboratory performs MicroRemed's own check and records its result. */
  readonly checksLikeMicroRemed?: boolean
}

/** How the problems of a run were drawn: as the suite lists them, from another seed, or from a seed that only the manifest contains. */
export type ProblemVariant = 'shipped' | 'seeded' | 'private'

/** `manifest.json` of a run folder: the plan of the run. Written once, at the start. */
export interface RunManifest {
  readonly schema: typeof RUN_SCHEMA
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly created: number
  readonly command: string
  readonly commit: string
  readonly version: string
  readonly engine: string
  /** The seed of the problems; `own` for the seeds of the suites. */
  readonly seed: string
  /** Absent in runs of older versions. */
  readonly variant?: ProblemVariant
  /**
   * The seed of the order of episodes, and of everything that agents see and the problems do not determine:
   * generated names, addresses, tags of bad releases. Absent in runs of older versions, which derived it from
   * the problems.
   */
  readonly secret?: string
  /** As the user specified them: `easy`, a file, ids. */
  readonly suites: readonly string[]
  readonly problems: readonly Problem[]
  readonly contenders: readonly Contender[]
  /** How many times each contender tries each problem. */
  readonly epochs: number
  /**
   * When playbooks are rolled back. `on-harm`: after a failure, or if a workload that was ready does not
   * recover.
   */
  readonly rollback: 'never' | 'on-failure' | 'on-harm'
  /** The suite of each problem, by its id. */
  readonly suiteOf: Readonly<Record<string, string>>
  readonly settings: RunSettings
}

export const variantOf = ({ variant, seed }: Pick<RunManifest, 'variant' | 'seed'>): ProblemVariant =>
  variant ?? (seed === 'own' ? 'shipped' : 'seeded')

/** The titles for reports and tables. */
export const VARIANT_TEXTS: Readonly<Record<ProblemVariant, string>> = {
  shipped: 'shipped',
  seeded: 'drawn from another seed',
  private: 'private variant',
}

/** Whether a void result is final: without user impact, retries would bias the result; with an unsupported feature, they are useless. */
export const isFinalVoid = ({ code }: Pick<EpisodeResult, 'code'>): boolean =>
  code === 'no-user-impact' || code === 'unsupported'

/** Whether the solver used a feature that the engine does not support. Such an episode is void and counted separately. */
export const isUnsupported = ({ outcome, code }: Pick<EpisodeResult, 'outcome' | 'code'>): boolean =>
  outcome === 'void' && code === 'unsupported'

/** One line of `results.jsonl`: an episode that has ended. If an `episode` has several lines, the last one counts. */
export interface EpisodeResult {
  /** `PROBLEM.CONTENDER-NUMBER.EPOCH`. Its record is `records/EPISODE.jsonl`; long names are shortened. */
  readonly episode: string
  readonly problem: string
  readonly system: string
  readonly task: Task
  /** Names of the faults, in the problem's order. */
  readonly faults: readonly string[]
  readonly categories: readonly FaultCategory[]
  /** The suite of the problem. */
  readonly suite: string
  readonly contender: string
  readonly epoch: number
  readonly outcome: Verdict['outcome']
  readonly blame?: Blame
  /** The code of the error that made it void. */
  readonly code?: string
  readonly reason: string
  /** The finding of each oracle, null if it was not measured; empty for a void episode. */
  readonly judged: Readonly<Partial<Record<Judgement['oracle'], Holds>>>
  readonly metrics: EpisodeMetrics
  /** Whether MicroRemed's own check passed; absent if it was not performed. The outcome does not depend on it. */
  readonly passesMicroRemedCheck?: boolean
  /** Milliseconds by stage, for the stages that the episode reached. */
  readonly stages: Readonly<Record<string, number>>
  /** The number of attempts, at least 1. */
  readonly tries: number
  /** The reasons for the retries. */
  readonly failures?: readonly string[]
  /** The end in milliseconds since the epoch. */
  readonly ended: number
}
