/** An episode as far as its record has come: what judges look at. */
import type {
  Answers,
  ApiObject,
  EpisodeEvent,
  Fault,
  FaultState,
  JourneyBaseline,
  ModelAnswer,
  PlannedFault,
  Problem,
  SystemView,
} from '../spec/index.ts'
import type { ObjectSet } from './object-set.ts'

/** Times are those of the record. */
export interface Walk {
  readonly began: number
  readonly ended: number
  readonly latencyMs: number
  readonly failedAt?: string
}

/** A change after the solver began, with what was there before it. */
export interface Act {
  readonly at: number
  readonly change: 'added' | 'modified' | 'deleted'
  readonly object: ApiObject
  readonly before?: ApiObject
}

export interface Injection {
  readonly planned: Pick<PlannedFault, 'fault' | 'target' | 'params' | 'shape'>
  readonly state: FaultState
  /** The first time. */
  readonly since: number
  /** Since when the laboratory has taken it back; absent while it is there. */
  readonly recovered?: number
}

export interface EpisodeFacts {
  readonly system: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  /** Of the last event: the only clock of judges. */
  readonly at: number
  readonly problem?: Problem
  /** Whether it was noted how users fared, and which objects there were, before the fault. */
  readonly isBaselineTaken: boolean
  readonly areObjectsListed: boolean
  readonly baseline: ReadonlyMap<string, JourneyBaseline>
  readonly objects: {
    readonly baseline: ObjectSet
    /** When the solver began; until then as now. */
    readonly injected: ObjectSet
    readonly now: ObjectSet
  }
  readonly acts: readonly Act[]
  readonly injections: ReadonlyMap<number, Injection>
  /** When the laboratory itself put faults in or took them back. */
  readonly interventions: readonly { readonly index: number; readonly from: number; readonly to?: number }[]
  readonly shown?: EpisodeEvent & { readonly type: 'fault-shown' }
  readonly began?: number
  readonly ended?: EpisodeEvent & { readonly type: 'solver-ended' }
  /** By journey, in the order in which they came. */
  readonly walks: ReadonlyMap<string, readonly Walk[]>
  readonly pending: readonly (readonly [journey: string, began: number])[]
  readonly answers: readonly { readonly at: number; readonly answers: Answers }[]
  readonly steps: readonly (EpisodeEvent & { readonly type: 'step-taken' })[]
  /** Of language models. */
  readonly modelAnswers: readonly ModelAnswer[]
  readonly facts: ReadonlyMap<number, { readonly at: number; readonly facts: FaultState }>
  /** With the time of the one before, from which they count. */
  readonly calls: readonly (EpisodeEvent & { readonly type: 'calls-observed'; readonly from: number })[]
  /** Workloads whose pods are not all there and ready, by key. */
  readonly unsettled: ReadonlySet<string>
  /** When the last of them had got there. */
  readonly settledAt: number
  readonly failure?: EpisodeEvent & { readonly type: 'harness-failed' }
}

export interface EpisodeView extends EpisodeFacts {
  add(event: EpisodeEvent): void
}
