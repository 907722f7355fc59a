/** What goes over the channel between a worker's process and the one that started it. */
import type { Blame } from '../../spec/index.ts'

/** What a worker is to do; the pool knows no more of it. */
export interface Job {
  readonly problem: { readonly id: string; readonly system: string }
  /** In this order, each with a result of its own. */
  readonly attempts: readonly { readonly name: string }[]
}

export type WorkerOrder<J> =
  | { readonly kind: 'job'; readonly job: J }
  /** To what the worker has asked. */
  | { readonly kind: 'answer'; readonly question: number; readonly yes: boolean }
  /** Breaks off what is on its way, clears everything away and ends. */
  | { readonly kind: 'end' }

/** Why a job could not be done, which says nothing of the solver. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly blame: Blame
}

export type WorkerMessage<R> =
  | { readonly kind: 'ready' }
  /** It lives, and does this. */
  | { readonly kind: 'stage'; readonly text: string }
  /** It lives; nothing is new. */
  | { readonly kind: 'alive' }
  /** Something that a person must say yes or no to. */
  | { readonly kind: 'question'; readonly question: number; readonly text: string }
  | { readonly kind: 'attempt'; readonly name: string; readonly result: R }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
