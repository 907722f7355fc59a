/** What goes over the channel between a worker's process and the one that started it. */
import type { Blame } from '../../spec/index.ts'
import type { AttemptResult, EpisodeJob } from '../attempt.ts'

export type WorkerOrder =
  | { readonly kind: 'job'; readonly job: EpisodeJob }
  /** Breaks off what is on its way, clears everything away and ends. */
  | { readonly kind: 'end' }

/** Why a job could not be done, which says nothing of the solver. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly blame: Blame
}

export type FinishedAttempt = Omit<AttemptResult, 'tries' | 'failures'>

export type WorkerMessage =
  | { readonly kind: 'ready' }
  /** It lives, and does this. */
  | { readonly kind: 'stage'; readonly text: string }
  | { readonly kind: 'attempt'; readonly result: FinishedAttempt }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
