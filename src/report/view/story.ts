/** What the page knows of an episode beside its result: the record, condensed. Read by the browser. */
import type {
  Blame,
  Damage,
  EpisodeResult,
  FaultShape,
  FaultTarget,
  Judgement,
  ParameterValues,
} from '../../spec/index.ts'

/** How users fared, in slices of equal length from the beginning of the episode. */
export interface LoadCurve {
  /** Milliseconds. */
  readonly slice: number
  readonly served: readonly number[]
  readonly failed: readonly number[]
  /** Milliseconds of the walk in the middle; null where nobody walked. */
  readonly p50: readonly (number | null)[]
}

export interface JourneyFare {
  readonly journey: string
  /** While all was well, in milliseconds. */
  readonly usualP50: number
  /** From the injection on. */
  readonly walks: number
  readonly lost: number
}

export interface AlertSpan {
  readonly name: string
  readonly about: string
  readonly severity: 'page' | 'ticket'
  readonly from: number
  /** Absent where it was never cleared. */
  readonly to?: number
}

export interface PlaybookTask {
  readonly task: string
  readonly outcome: string
  readonly message?: string
}

/** Something the solver did, said or was told; `at` is when it was over, `took` milliseconds until then. */
export type StoryEntry = { readonly at: number } & (
  | { readonly kind: 'thought'; readonly role?: string; readonly text: string }
  | {
      readonly kind: 'asked'
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
      /** False of one that was refused, and of one that never came so far as to be vetted. */
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
  /** When the laboratory took it back by its shape. */
  readonly recovered?: number
}

/** An object that was changed after the solver began, by whomever. */
export interface ObjectChange {
  /** `Deployment/cartservice` */
  readonly object: string
  readonly added: number
  readonly modified: number
  readonly deleted: number
}

export interface EpisodeStory {
  /** Milliseconds from its beginning to the last event. */
  readonly length: number
  readonly faults: readonly InjectedFault[]
  readonly shown?: { readonly at: number; readonly isShown: boolean; readonly evidence: string }
  readonly report?: string
  readonly solver?: { readonly from: number; readonly to: number }
  /** In which users were watched: the one that proved it, or all the time since the solver had ended. */
  readonly window?: { readonly from: number; readonly to: number }
  readonly load: LoadCurve
  /** The usual p50 over all journeys, in milliseconds. */
  readonly usualP50?: number
  readonly journeys: readonly JourneyFare[]
  readonly alerts: readonly AlertSpan[]
  readonly entries: readonly StoryEntry[]
  readonly judgements: readonly Judgement[]
  readonly damage: readonly Damage[]
  readonly changes: readonly ObjectChange[]
  readonly budget?: { readonly steps: number; readonly seconds: number }
  readonly failure?: { readonly code: string; readonly message: string; readonly blame: Blame }
  /** How many texts and lists were cut for the page. */
  readonly cuts: number
}

/** What a reader opens: the result, and the story where the record could be read. */
export interface EpisodeDetails {
  readonly result: EpisodeResult
  /** Its place in the run's folder. */
  readonly record: string
  readonly story?: EpisodeStory
  /** Why there is no story. */
  readonly missing?: string
}
