/** An episode: one problem, one solver, one record of events. Verdicts are derived from the record alone. */
import type { ActionReach } from './action-reach.ts'
import type { ApiWrite, ClusterTelemetry } from './engine.ts'
import type { PlaybookTaskResult } from './engine-programs.ts'
import type { Blame, RemediumError } from './errors.ts'
import type { FaultShape, FaultState, FaultTarget, Finding, ParameterValues } from './fault.ts'
import type { ApiObject, KubeApi } from './kube-api.ts'
import type { ChatMessage, ModelAnswer, SamplingSettings, ToolDescription } from './model.ts'
import type { ContainerProcesses, InspectedContainer, StoredContent } from './observed-content.ts'
import type { Problem } from './problem.ts'
import type { AnswerMetrics, Answers, QuestionName, Task } from './tasks/index.ts'
import type { Alert, EdgeStatistics, TelemetryQuery, TimeRange } from './telemetry.ts'
import type { JourneyRecord, LoadProfile } from './workload.ts'

export const EPISODE_SCHEMA = 2

/**
 * The version of the rules by which a record is judged. It is incremented if rules become stricter or need
 * evidence that older records lack. A record is judged by the rules that were in force when it was written.
 */
export const JUDGING_RULES = 7

/** The action with which solvers of the laboratory run playbooks without vetting. Agents use `run_playbook`. */
export const LABORATORY_PLAYBOOK = 'run-playbook'

/** Statistics of one journey on the healthy system. */
export interface JourneyBaseline {
  readonly journey: string
  readonly runs: number
  readonly failures: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p95: number
}

/** A journey run in compact form; `at` is its end, `failedAt` the step at which it failed. */
export type JourneyRunNote = readonly [journey: string, at: number, latencyMs: number, failedAt?: string]

/** An event; `at` is in milliseconds since the start of the episode, measured by a monotonic clock. */
export type EpisodeEvent = { readonly at: number } & (
  | {
      readonly type: 'episode-started'
      readonly schema: typeof EPISODE_SCHEMA
      /** See `JUDGING_RULES`; older records lack the field and follow version 1 of the rules. */
      readonly rules?: number
      /** Milliseconds since the epoch. */
      readonly time: number
      readonly problem: Problem
      readonly solver: string
      readonly engine: string
      readonly load: LoadProfile
      /** Seed of everything that the solver saw and the problem does not determine. Older records lack it. */
      readonly secret?: string
    }
  | {
      readonly type: 'baseline-taken'
      readonly journeys: readonly JourneyBaseline[]
      readonly alerts: readonly Alert[]
    }
  /** All watched objects before the fault, trimmed by `toRecordedObject`. */
  | { readonly type: 'objects-listed'; readonly objects: readonly ApiObject[] }
  | {
      readonly type: 'object-changed'
      readonly change: 'added' | 'modified' | 'deleted'
      readonly object: ApiObject
    }
  | {
      readonly type: 'fault-injected'
      /** The index of the fault in the problem. */
      readonly index: number
      readonly fault: string
      readonly target: FaultTarget
      readonly params: ParameterValues
      readonly shape: FaultShape
      readonly state: FaultState
    }
  /**
   * The fault's schedule is about to inject or recover it. Object changes until the matching `fault-injected`
   * or `fault-recovered` are not attributed to the solver.
   */
  | { readonly type: 'fault-change-started'; readonly index: number }
  /** The laboratory recovered a transient or intermittent fault. */
  | { readonly type: 'fault-recovered'; readonly index: number }
  /** Whether users are affected. A control waits for a comparable time. */
  | {
      readonly type: 'user-impact-observed'
      readonly affected: boolean
      readonly journeys: readonly string[]
      readonly evidence: string
      /** When the replaced pods became ready and reachable; present if impact counts only from then on. */
      readonly since?: number
    }
  | { readonly type: 'report-given'; readonly kind: Problem['report']; readonly text: string }
  /** Object changes after this event are attributed to the solver. */
  | {
      readonly type: 'solver-started'
      /** The id of the attempt as the agent sees it. It reveals nothing about the problem. */
      readonly episode?: string
    }
  /** The input of an agent without a model. For agents with models, the prompts contain it. */
  | {
      readonly type: 'actions-offered'
      readonly briefing: Briefing
      readonly actions: readonly ToolDescription[]
    }
  /** `pending` lists unfinished runs that oracles requested; the last event of this type counts. */
  | {
      readonly type: 'journeys-run'
      readonly runs: readonly JourneyRunNote[]
      readonly pending?: readonly (readonly [journey: string, startedAt: number])[]
    }
  | {
      readonly type: 'step-taken'
      readonly action: string
      /** Absent in older records of schema 2. */
      readonly reach?: ActionReach
      readonly input: unknown
      readonly observation: string
      readonly tokens?: { readonly input: number; readonly output: number }
      readonly costUsd?: number
      readonly isClipped?: true
    }
  /** A thought that the solver reports. */
  | {
      readonly type: 'thought-noted'
      readonly role?: string
      readonly thought: string
      readonly isClipped?: true
    }
  /** `messages` are those that this role adds to the conversation; all messages if `startsConversation`. */
  | {
      readonly type: 'model-called'
      readonly role: string
      readonly model: string
      readonly messages: readonly ChatMessage[]
      readonly startsConversation?: boolean
      /** The names of the offered tools. */
      readonly tools: readonly string[]
      /** Absent if the previous call of this role with tools offered the same tools, and in older records. */
      readonly toolDefinitions?: readonly ToolDescription[]
      readonly sampling?: SamplingSettings
      readonly answer: ModelAnswer
      /** Strings of the event were shortened or dropped to limit the size of the record. */
      readonly isClipped?: true
    }
  /** Tokens and cost that an agent reports for models that it calls itself. */
  | {
      readonly type: 'usage-reported'
      readonly tokens: { readonly input: number; readonly output: number }
      readonly costUsd?: number
      readonly model?: string
    }
  | { readonly type: 'playbook-vetted'; readonly findings: readonly string[]; readonly isRefused: boolean }
  | ({ readonly type: 'task-ended' } & PlaybookTaskResult)
  /** A playbook was rolled back. The text of an object that could not be restored states the reason. */
  | { readonly type: 'playbook-rolled-back'; readonly objects: readonly string[] }
  /** A write of the solver's account, as the API server saw it; with `count` if equal writes are combined. */
  | ({ readonly type: 'write-audited'; readonly count?: number } & ApiWrite)
  | { readonly type: 'answers-given'; readonly answers: Answers }
  | {
      readonly type: 'solver-ended'
      readonly outcome: 'submitted' | 'gave-up' | 'budget-spent' | 'failed'
      readonly reason?: string
    }
  /** `failed` is the reason why the probe could not observe the cause; `facts` is then empty. */
  | {
      readonly type: 'cause-probed'
      readonly index: number
      readonly facts: FaultState
      readonly failed?: string
    }
  /**
   * The containers of the system whose processes differ from the previous event of this type; a container
   * that is gone has no processes. Programs that probes run after the solver has ended are omitted.
   */
  | { readonly type: 'processes-observed'; readonly containers: readonly ContainerProcesses[] }
  /**
   * The containers of the system that differ from the previous event of this type. After the solver has ended, only those that it could
   * change.
   */
  | { readonly type: 'containers-inspected'; readonly containers: readonly InspectedContainer[] }
  /**
   * The first such event samples the stores' data; each later one lists the entries that still exist. After the solver has ended,
   * stores that do not answer are observed again.
   */
  | {
      readonly type: 'data-observed'
      readonly stores: readonly StoredContent[]
      /** Stores that do not answer, although the container that answered before the solver still runs. */
      readonly unanswered?: readonly string[]
    }
  /**
   * Calls and errors since the previous event of this type. The first one, before the fault, covers all
   * baseline windows that are kept. The second one, before the solver, covers the time of the symptoms; older
   * records lack it.
   */
  | {
      readonly type: 'calls-observed'
      readonly edges: readonly Pick<EdgeStatistics, 'from' | 'to' | 'count' | 'errors'>[]
    }
  | { readonly type: 'alerts-observed'; readonly alerts: readonly Alert[] }
  | { readonly type: 'verdict-given'; readonly verdict: Verdict }
  /** The result of MicroRemed's own check, in its modes only. The verdict does not depend on it. */
  | ({ readonly type: 'micro-remed-checked' } & Finding)
  | {
      readonly type: 'harness-failed'
      readonly code: string
      readonly message: string
      readonly blame: Blame
    }
)

/** Whether a condition holds; null if it was not measured. Only true counts as resolved. */
export type Holds = boolean | null

/** The judgement of one oracle: one of the three conditions of a repair, or a scored answer. */
export interface Judgement extends Omit<Finding, 'holds'> {
  readonly oracle: 'users-served' | 'nothing-broken' | 'cause-gone' | QuestionName
  readonly holds: Holds
}

/** Something that the solver broke or changed needlessly. */
export interface Damage {
  /** `Deployment/cartservice` */
  readonly object: string
  readonly what: string
}

export interface EpisodeMetrics extends AnswerMetrics {
  /** Milliseconds from the start of the solver to the start of the stability window that proved the repair. */
  readonly timeToMitigate?: number
  readonly steps: number
  /** Number of audited writes of the solver's account. Absent if it is 0, and in older records. */
  readonly writes?: number
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent if the price of an answer is unknown. */
  readonly costUsd?: number
  readonly collateralDamage: number
  /** Journey runs that failed between the injection and the verdict. */
  readonly journeyRunsFailed: number
  readonly journeyRuns: number
}

/** The metrics of a void episode. */
export const NO_METRICS: EpisodeMetrics = {
  steps: 0,
  tokens: { input: 0, output: 0 },
  costUsd: 0,
  collateralDamage: 0,
  journeyRunsFailed: 0,
  journeyRuns: 0,
}

export interface Verdict {
  readonly task: Task
  readonly outcome: 'resolved' | 'unresolved' | 'void'
  /** Who is to blame; given for unresolved and void episodes. */
  readonly blame?: Blame
  /** The code of the error that made the episode void. */
  readonly code?: string
  /** One sentence. */
  readonly reason: string
  readonly judgements: readonly Judgement[]
  readonly damage: readonly Damage[]
  readonly metrics: EpisodeMetrics
}

/** The verdict as reported to the agent after the episode. */
export interface ReportedVerdict {
  readonly outcome: 'resolved' | 'unresolved'
  /** 1 if the problem is resolved, otherwise 0. */
  readonly reward: number
  readonly reason: string
}

/** Undefined for a void episode, which has no result. */
export const toReportedVerdict = ({ outcome, reason }: Verdict): ReportedVerdict | undefined =>
  outcome === 'void' ? undefined : { outcome, reward: outcome === 'resolved' ? 1 : 0, reason }

/** The information that a solver receives. It never contains the problem itself. */
export interface Briefing {
  readonly task: Task
  readonly system: string
  readonly namespace: string
  readonly report: { readonly kind: Problem['report']; readonly text: string }
  readonly budget: Problem['budget']
}

/** The events that a solver may write to the record. */
export type SolverEvent = DistributiveOmit<
  Extract<
    EpisodeEvent,
    {
      type:
        | 'actions-offered'
        | 'thought-noted'
        | 'model-called'
        | 'usage-reported'
        | 'playbook-vetted'
        | 'task-ended'
        | 'playbook-rolled-back'
    }
  >,
  'at'
>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A snapshot of the system's objects. */
export interface SystemSnapshot {
  /**
   * Reverts to the snapshot with the laboratory's rights. Returns the result for each object:
   * `Deployment/cart reverted`, or `Deployment/cart not reverted: REASON`.
   */
  revert(): Promise<readonly string[]>
  /** Waits for workloads that were ready in the snapshot; returns those that do not become ready again. */
  findHarm(signal: AbortSignal): Promise<readonly string[]>
  /** Releases the snapshot. Until then, fault schedules are suspended: a revert would undo their changes. */
  release(): void
}

/** The context of a solver. For an untrusted one, it has restricted rights and hides the laboratory. */
export interface SolverContext {
  /** The id of the attempt, which is also in the record. */
  readonly episode: string
  readonly briefing: Briefing
  readonly api: KubeApi
  /** The text of a kubeconfig. */
  readonly kubeconfig: string
  readonly telemetry: TelemetryQuery
  /** Runs a read-only query. */
  sql: ClusterTelemetry['sql']
  /** A time shortly before the report in which users were served well; absent if there is none. */
  readonly baselineWindow?: TimeRange
  readonly signal: AbortSignal
  /** The time of the episode in milliseconds since the epoch. */
  now(): number
  sleep(ms: number): Promise<void>
  /**
   * Waits for something outside the laboratory, such as the answer of a model or of the operator. The time of a simulated cluster stands
   * still meanwhile. Then it passes by the result of `millisecondsOf`, as it would have passed on a real cluster. Rejects if
   * the budget is spent by that.
   */
  waitOutside<T>(work: Promise<T>, millisecondsOf?: (result: T) => number): Promise<T>
  /** Adds an event of the solver to the record. */
  record(event: SolverEvent): void
  /** Takes a snapshot, to which later changes can be reverted. */
  takeSnapshot(): Promise<SystemSnapshot>
  /** Runs a playbook with Ansible; recorded as a step. */
  runPlaybook(text: string): Promise<{ readonly ok: boolean; readonly output: string }>
  /** Ends the solver's time because another budget is spent; `reason` says which one. */
  spend(reason: string): void
  /** Sets a function that is called when the time is spent; it returns an error if a provider is to blame. */
  setExcuse(find: () => RemediumError | undefined): void
  /** Records a step, which counts towards the budget. A step with the reach `answers` does not. */
  note(step: {
    readonly action: string
    readonly reach: ActionReach
    readonly input: unknown
    readonly observation: string
    readonly tokens?: { readonly input: number; readonly output: number }
    readonly costUsd?: number
  }): void
  answer(answers: Answers): void
  /** Records that the solver ends without submitting. */
  giveUp(): void
  /** Registers work that acts on the cluster. The solver counts as ended only once the work has settled. */
  registerWork(work: Promise<unknown>): void
}

/** Solves a problem: an agent, the reference, a hack, or one that does nothing. */
export interface Solver {
  readonly name: string
  /** Whether it belongs to the laboratory, so that all its effects on the cluster are known. */
  readonly isTrusted?: boolean
  solve(context: SolverContext): Promise<void>
  /** Called once after the attempt, if the run reports verdicts; with undefined if the attempt is void. */
  onVerdict?(verdict: ReportedVerdict | undefined): Promise<void>
}

export const toJourneyRunNote = (record: JourneyRecord, at: number): JourneyRunNote =>
  record.ok
    ? [record.journey, at, Math.round(record.latencyMs * 10) / 10]
    : [record.journey, at, Math.round(record.latencyMs * 10) / 10, record.failedAt ?? '?']
