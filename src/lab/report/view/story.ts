/** The condensed record of an episode, which the browser renders. */
import type { Blame, Damage, EpisodeResult, FaultShape, FaultTarget, Judgement, ParameterValues } from '#spec'

/** Journey runs over time, in slices of equal length from the start of the episode. */
export interface LoadCurve {
  /** Milliseconds. */
  readonly slice: number
  readonly served: readonly number[]
  readonly failed: readonly number[]
  /** Median latency in milliseconds; null if there were no journey runs. */
  readonly p50: readonly (number | null)[]
}

export interface JourneyOutcome {
  readonly journey: string
  /** The median latency of the baseline in milliseconds. */
  readonly baselineP50: number
  /** Since the injection. */
  readonly runs: number
  readonly failed: number
}

export interface AlertSpan {
  readonly name: string
  readonly about: string
  readonly severity: 'page' | 'ticket'
  readonly from: number
  /** Absent if the alert was not cleared. */
  readonly to?: number
}

export interface PlaybookTask {
  readonly task: string
  readonly outcome: string
  readonly message?: string
}

/** An event of the solver; `at` is its end, and `took` its duration in milliseconds. */
export type StoryEntry = { readonly at: number } & (
  | { readonly kind: 'thought'; readonly role?: string; readonly text: string }
  | {
      readonly kind: 'model-call'
      readonly took: number
      readonly role: string
      readonly model: string
      readonly messages: readonly { readonly role: string; readonly text: string }[]
      readonly answer: string
      readonly calls: readonly string[]
      readonly tokens: { readonly input: number; readonly output: number }
      readonly costUsd?: number
      readonly finish: string
      readonly tries: number
    }
  | {
      readonly kind: 'action'
      readonly took: number
      readonly action: string
      readonly input: string
      readonly observation: string
    }
  | {
      readonly kind: 'playbook'
      readonly took: number
      readonly playbook: string
      readonly findings: readonly string[]
      readonly isRefused: boolean
      /** False if the playbook was refused or not vetted. */
      readonly hasRun: boolean
      readonly tasks: readonly PlaybookTask[]
      readonly output: string
      readonly rolledBack?: readonly string[]
    }
  | { readonly kind: 'answers'; readonly text: string }
  | { readonly kind: 'ended'; readonly outcome: string; readonly reason?: string }
)

export interface InjectedFault {
  readonly at: number
  readonly fault: string
  readonly target: FaultTarget
  readonly params: ParameterValues
  readonly shape: FaultShape
  /** When the laboratory reverted it, as its shape requires. */
  readonly recovered?: number
}

/** An object that changed after the solver started. */
export interface ObjectChange {
  /** `Deployment/cartservice` */
  readonly object: string
  readonly added: number
  readonly modified: number
  readonly deleted: number
}

export interface EpisodeStory {
  /** Milliseconds from the start to the last event. */
  readonly length: number
  readonly faults: readonly InjectedFault[]
  readonly impact?: { readonly at: number; readonly affected: boolean; readonly evidence: string }
  readonly report?: string
  readonly solver?: { readonly from: number; readonly to: number }
  /** The stability window that proved the repair; for an unresolved episode, the time since the solver ended. */
  readonly window?: { readonly from: number; readonly to: number }
  readonly load: LoadCurve
  /** The mean of the baseline medians of all journeys, weighted by their runs, in milliseconds. */
  readonly baselineP50?: number
  readonly journeys: readonly JourneyOutcome[]
  readonly alerts: readonly AlertSpan[]
  readonly entries: readonly StoryEntry[]
  readonly judgements: readonly Judgement[]
  readonly damage: readonly Damage[]
  readonly changes: readonly ObjectChange[]
  readonly budget?: { readonly steps: number; readonly seconds: number }
  readonly failure?: { readonly code: string; readonly message: string; readonly blame: Blame }
  /** The number of shortened strings and lists. */
  readonly cuts: number
}

/** The details of an episode: the result, and the story if the record could be read. */
export interface EpisodeDetails {
  readonly result: EpisodeResult
  /** The metrics of answers, as text. */
  readonly answerMeasures: readonly (readonly [label: string, text: string])[]
  /** The path of the record in the run folder. */
  readonly record: string
  readonly story?: EpisodeStory
  /** Why there is no story. */
  readonly missing?: string
}
