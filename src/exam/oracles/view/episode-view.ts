/** The state of an episode, derived from the events recorded so far; the input of every oracle. */
import type {
  Answers,
  ApiObject,
  ContainerProcesses,
  EpisodeEvent,
  Fault,
  FaultState,
  InspectedContainer,
  JourneyBaseline,
  ModelAnswer,
  PlannedFault,
  Problem,
  SystemView,
} from '#spec'
import type { ObjectSet } from './object-set.ts'

/** One run of a journey. Times are those of the record. */
export interface JourneyRun {
  readonly startedAt: number
  readonly endedAt: number
  readonly latencyMs: number
  readonly failedAt?: string
}

/** A change of an object after the solver started, with the object before it. */
export interface ObjectChange {
  readonly at: number
  readonly change: 'added' | 'modified' | 'deleted'
  readonly object: ApiObject
  readonly before?: ApiObject
}

export interface Injection {
  readonly planned: Pick<PlannedFault, 'fault' | 'target' | 'params' | 'shape'>
  readonly state: FaultState
  /** The time of the first injection. */
  readonly since: number
  /** When the laboratory reverted it; absent while it is active. */
  readonly recoveredAt?: number
}

export interface EpisodeFacts {
  /** Another object after each event other than journey runs. */
  readonly state: object
  readonly system: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  /** The time of the last event: the only clock that oracles use. */
  readonly at: number
  readonly problem?: Problem
  /** The version of the rules by which the record is judged. */
  readonly rules: number
  /** Whether the record contains the baseline of the journeys. */
  readonly isBaselineTaken: boolean
  /** Whether the record contains the objects before the fault. */
  readonly areObjectsListed: boolean
  readonly baseline: ReadonlyMap<string, JourneyBaseline>
  readonly objects: {
    readonly baseline: ObjectSet
    /** At the start of the solver; before it, the same as `now`. */
    readonly injected: ObjectSet
    readonly now: ObjectSet
  }
  /** By uid: the versions of every object that may own others, one for each change of its programs. */
  readonly owners: ReadonlyMap<string, readonly ApiObject[]>
  readonly changes: readonly ObjectChange[]
  readonly injections: ReadonlyMap<number, Injection>
  /** When the schedules of faults injected or recovered them. */
  readonly interventions: readonly { readonly index: number; readonly from: number; readonly to?: number }[]
  readonly userImpact?: EpisodeEvent & { readonly type: 'user-impact-observed' }
  readonly solverStartedAt?: number
  readonly solverEnded?: EpisodeEvent & { readonly type: 'solver-ended' }
  /** By journey, in the order of the record. */
  readonly runs: ReadonlyMap<string, readonly JourneyRun[]>
  /** Runs that have not ended. */
  readonly pending: readonly (readonly [journey: string, startedAt: number])[]
  readonly answers: readonly { readonly at: number; readonly answers: Answers }[]
  readonly steps: readonly (EpisodeEvent & { readonly type: 'step-taken' })[]
  /** The number of writes of the solver's account. */
  readonly writes: number
  /** Answers of language models. */
  readonly modelAnswers: readonly Pick<ModelAnswer, 'usage' | 'costUsd'>[]
  /** By fault: the last probe of its cause. */
  readonly facts: ReadonlyMap<
    number,
    { readonly at: number; readonly facts: FaultState; readonly failed?: string }
  >
  /** `from`: the time of the previous observation, at which the counts start. */
  readonly calls: readonly (EpisodeEvent & { readonly type: 'calls-observed'; readonly from: number })[]
  /** Keys of workloads of which some pods are missing or not ready. */
  readonly unsettled: ReadonlySet<string>
  /** When the last workload became settled. */
  readonly settledAt: number
  /** Keys of workloads that became unsettled after the injection, or were so when the solver started. */
  readonly brokenByFault: ReadonlySet<string>
  /** Keys of workloads whose pods the injection replaced and that have not been settled since. */
  readonly rollingOut: ReadonlySet<string>
  /** When the last workload left `rollingOut`. */
  readonly rolledOutAt?: number
  /** By container: its processes at each observation, in order. */
  readonly processes: ReadonlyMap<string, readonly (ContainerProcesses & { readonly at: number })[]>
  /** By container: what was inspected, in order. */
  readonly containers: ReadonlyMap<string, readonly (InspectedContainer & { readonly at: number })[]>
  /** The names of the pods in which the solver's account ran or attached programs; `*` for any pod. */
  readonly enteredPods: ReadonlySet<string>
  /** The content of data stores at each observation. */
  readonly data: readonly (EpisodeEvent & { readonly type: 'data-observed' })[]
  readonly failure?: EpisodeEvent & { readonly type: 'harness-failed' }
}

export interface EpisodeView extends EpisodeFacts {
  add(event: EpisodeEvent): void
}
