/** An episode: one problem, one solver, one record of events. Verdicts are derived from the record and from nothing else. */
import type { ClusterTelemetry } from './engine.ts'
import type { Blame, RemediumError } from './errors.ts'
import type {
  FaultLayer,
  FaultShape,
  FaultState,
  FaultTarget,
  FaultType,
  Finding,
  ParameterValues,
} from './fault.ts'
import type { ApiObject, KubeApi } from './kube-api.ts'
import type { ChatMessage, ModelAnswer } from './model.ts'
import type { Problem, Task } from './problem.ts'
import type { Alert, EdgeStatistics, TelemetryQuery, TimeRange } from './telemetry.ts'
import type { JourneyRecord, LoadProfile } from './workload.ts'

export const EPISODE_SCHEMA = 1

/** The action of a step in which one of the laboratory's own solvers runs a playbook, without vetting; that of agents is `run_playbook`. */
export const LABORATORY_PLAYBOOK = 'run-playbook'

/** How users fared with one journey while all was well. */
export interface JourneyBaseline {
  readonly journey: string
  readonly walks: number
  readonly failures: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
}

/** What a solver answers; each task asks for some of it. */
export interface Answers {
  readonly detected?: boolean
  /** The likeliest first. */
  readonly services?: readonly string[]
  /** Of several faults: of the one at the service that is named first. */
  readonly layer?: FaultLayer
  readonly type?: FaultType
}

const ANSWERS: Readonly<Record<Task, readonly (keyof Answers)[]>> = {
  detection: ['detected'],
  localisation: ['services'],
  analysis: ['layer', 'type'],
  mitigation: [],
  remediation: [],
  'end-to-end': ['detected', 'services', 'layer', 'type'],
}

/** What a task asks for. */
export const answersOf = (task: Task): readonly (keyof Answers)[] => ANSWERS[task]

/** A walk as short as it can be written: journey, when it ended in the record's time, milliseconds, and where it failed. */
export type WalkNote = readonly [journey: string, at: number, latencyMs: number, failedAt?: string]

/** What happened; `at` is milliseconds since the episode began, by a clock that never jumps. */
export type EpisodeEvent = { readonly at: number } & (
  | {
      readonly type: 'episode-began'
      readonly schema: typeof EPISODE_SCHEMA
      /** Milliseconds since the epoch. */
      readonly time: number
      readonly problem: Problem
      readonly solver: string
      readonly engine: string
      readonly load: LoadProfile
    }
  | {
      readonly type: 'baseline-taken'
      readonly journeys: readonly JourneyBaseline[]
      readonly alerts: readonly Alert[]
    }
  /** All that is watched, once: before the fault. Trimmed by `toRecordedObject`. */
  | { readonly type: 'objects-listed'; readonly objects: readonly ApiObject[] }
  | {
      readonly type: 'object-changed'
      readonly change: 'added' | 'modified' | 'deleted'
      readonly object: ApiObject
    }
  | {
      readonly type: 'fault-injected'
      /** Which of the problem's. */
      readonly index: number
      readonly fault: string
      readonly target: FaultTarget
      readonly params: ParameterValues
      readonly shape: FaultShape
      readonly state: FaultState
    }
  /** By its shape the fault is about to be put in again or taken back; changes from here until that is told are no solver's. */
  | { readonly type: 'laboratory-acts'; readonly index: number }
  /** Taken back by the laboratory: transient and intermittent ones. */
  | { readonly type: 'fault-recovered'; readonly index: number }
  /** Users feel it; for a control, the same time has passed and they do not. */
  | {
      readonly type: 'fault-shown'
      readonly shown: boolean
      readonly journeys: readonly string[]
      readonly evidence: string
    }
  | { readonly type: 'report-given'; readonly kind: Problem['report']; readonly text: string }
  /** From here on changes of objects are the solver's. */
  | { readonly type: 'solver-began' }
  /** `pending`: the judge's own walks that are on their way, with the time they began; those of the last such event count. */
  | {
      readonly type: 'walks'
      readonly walks: readonly WalkNote[]
      readonly pending?: readonly (readonly [journey: string, began: number])[]
    }
  | {
      readonly type: 'step-taken'
      readonly action: string
      readonly input: unknown
      readonly observation: string
      readonly tokens?: { readonly input: number; readonly output: number }
      readonly costUsd?: number
    }
  /** What a solver says of itself. */
  | { readonly type: 'thought-noted'; readonly role?: string; readonly thought: string }
  /**
   * `messages`: those that this part of the agent had not sent before in the same conversation; `begins`: it is a new one, and they are
   * all that it begins with.
   */
  | {
      readonly type: 'model-called'
      readonly role: string
      readonly model: string
      readonly messages: readonly ChatMessage[]
      readonly begins?: boolean
      readonly tools: readonly string[]
      readonly answer: ModelAnswer
    }
  | { readonly type: 'playbook-vetted'; readonly findings: readonly string[]; readonly isRefused: boolean }
  | {
      readonly type: 'task-ended'
      readonly play: string
      readonly task: string
      readonly outcome: 'ok' | 'changed' | 'skipped' | 'failed' | 'unreachable'
      readonly message?: string
    }
  /** What a playbook did was taken back; what could not be says so, with the reason. */
  | { readonly type: 'playbook-rolled-back'; readonly objects: readonly string[] }
  | { readonly type: 'answers-given'; readonly answers: Answers }
  | {
      readonly type: 'solver-ended'
      readonly outcome: 'submitted' | 'gave-up' | 'budget-spent' | 'failed'
      readonly reason?: string
    }
  | { readonly type: 'cause-probed'; readonly index: number; readonly facts: FaultState }
  /** Who failed whom, since the last such event; the first, before the fault, is of all the calm times that are remembered. */
  | {
      readonly type: 'calls-observed'
      readonly edges: readonly Pick<EdgeStatistics, 'from' | 'to' | 'count' | 'errors'>[]
    }
  | { readonly type: 'alerts-observed'; readonly alerts: readonly Alert[] }
  | { readonly type: 'verdict-given'; readonly verdict: Verdict }
  | {
      readonly type: 'harness-failed'
      readonly code: string
      readonly message: string
      readonly blame: Blame
    }
)

/** One of the three things that must hold, or an answer that was scored. */
export interface Judgement extends Finding {
  readonly oracle:
    | 'users-served'
    | 'nothing-broken'
    | 'cause-gone'
    | 'detection'
    | 'localisation'
    | 'analysis'
}

/** Something that the solver broke or touched without need. */
export interface Damage {
  /** `Deployment/cartservice` */
  readonly object: string
  readonly what: string
}

export interface EpisodeMetrics {
  /** Milliseconds from the moment that the solver began to the last change of the answer; absent where there was none. */
  readonly timeToDetect?: number
  readonly timeToLocalise?: number
  readonly timeToAnalyse?: number
  /** Until the stability window that proved it began. */
  readonly timeToMitigate?: number
  readonly steps: number
  readonly tokens: { readonly input: number; readonly output: number }
  /** Absent where the price of an answer is not known. */
  readonly costUsd?: number
  readonly collateralDamage: number
  /** What users asked for and did not get, from the injection to the verdict: walks that failed. */
  readonly walksLost: number
  readonly walks: number
  /** Of localisation: the place of the first culprit in the answer, from 1; 0 where it is not in it. */
  readonly rank?: number
}

/** Of an episode that cannot be judged. */
export const NO_METRICS: EpisodeMetrics = {
  steps: 0,
  tokens: { input: 0, output: 0 },
  costUsd: 0,
  collateralDamage: 0,
  walksLost: 0,
  walks: 0,
}

export interface Verdict {
  readonly task: Task
  readonly outcome: 'resolved' | 'unresolved' | 'void'
  /** Of those unresolved and void. */
  readonly blame?: Blame
  /** In one sentence. */
  readonly reason: string
  readonly judgements: readonly Judgement[]
  readonly damage: readonly Damage[]
  readonly metrics: EpisodeMetrics
}

/** What a solver gets: never the problem itself. */
export interface Briefing {
  readonly task: Task
  readonly system: string
  readonly namespace: string
  readonly report: { readonly kind: Problem['report']; readonly text: string }
  readonly budget: Problem['budget']
}

/** What of a record a solver may write itself. */
export type SolverEvent = DistributiveOmit<
  Extract<
    EpisodeEvent,
    {
      type: 'thought-noted' | 'model-called' | 'playbook-vetted' | 'task-ended' | 'playbook-rolled-back'
    }
  >,
  'at'
>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A system as it was at one time. */
export interface Remembered {
  /** Puts it back, with the laboratory's own rights; gives what was done, `Deployment/cart put back`, and what could not be, `Deployment/cart not put back: REASON`. */
  takeBack(): Promise<readonly string[]>
  /** Waits for what was ready then; names what does not become ready again. */
  findHarm(signal: AbortSignal): Promise<readonly string[]>
  /** It will not be taken back any more. Until then no fault comes or goes by itself, which would count as done since. */
  forget(): void
}

/** Whoever is not trusted has rights of its own in the cluster, and sees nothing of the laboratory nor of earlier episodes. */
export interface SolverContext {
  readonly briefing: Briefing
  readonly api: KubeApi
  /** The text of one. */
  readonly kubeconfig: string
  readonly telemetry: TelemetryQuery
  /** Read-only. */
  sql: ClusterTelemetry['sql']
  /** A time shortly before the report in which users were well; absent where none is known. */
  readonly calm?: TimeRange
  readonly signal: AbortSignal
  sleep(ms: number): Promise<void>
  /** Writes what the solver says of itself into the record. */
  record(event: SolverEvent): void
  /** Keeps in mind what the system is like now, for whoever wants to take back what is done to it. */
  remember(): Promise<Remembered>
  /** Runs a playbook as Ansible does; a step of its own in the record. */
  runPlaybook(text: string): Promise<{ readonly ok: boolean; readonly output: string }>
  /** Ends its time: a budget that is counted elsewhere is spent. `reason` as in "the tokens of the budget are spent". */
  spend(reason: string): void
  /** `find` is asked when its time is spent: for whoever else has taken so much of it that the solver is not to blame. */
  excuseBy(find: () => RemediumError | undefined): void
  /** A step of the budget; the last one is the last that is done. An action `submit` costs none. */
  note(step: {
    readonly action: string
    readonly input: unknown
    readonly observation: string
    readonly tokens?: { readonly input: number; readonly output: number }
    readonly costUsd?: number
  }): void
  answer(answers: Answers): void
  /** It will end without saying that it is done. */
  giveUp(): void
  /** Work that still acts on the cluster: the solver has not ended before it has, whatever becomes of the solver. */
  untilEnded(work: Promise<unknown>): void
}

/** Whoever is to solve a problem: an agent, the reference, somebody who does nothing, a hack. */
export interface Solver {
  readonly name: string
  /** One of the laboratory's own, which does to the cluster what is known of it and no more. */
  readonly isTrusted?: boolean
  solve(context: SolverContext): Promise<void>
}

export const toWalkNote = (record: JourneyRecord, at: number): WalkNote =>
  record.ok
    ? [record.journey, at, Math.round(record.latencyMs * 10) / 10]
    : [record.journey, at, Math.round(record.latencyMs * 10) / 10, record.failedAt ?? '?']
