/** The messages between a worker process and the process that started it. */
import type { Blame } from '#spec'

/** A job for a worker. The pool reads only these fields. */
export interface Job {
  readonly problem: { readonly id: string; readonly system: string }
}

export type WorkerOrder<J> =
  | { readonly kind: 'job'; readonly job: J }
  /** The answer to a question of the worker. */
  | { readonly kind: 'answer'; readonly question: number; readonly yes: boolean }
  /** Input for the current job. */
  | { readonly kind: 'input'; readonly input: unknown }
  /** Aborts the current job, cleans up and exits. */
  | { readonly kind: 'end' }

/** Why a job failed. It says nothing about the solver. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly blame: Blame
}

export type WorkerMessage<R> =
  | { readonly kind: 'ready' }
  /** The worker has started the stage that `text` describes. Also a heartbeat. */
  | { readonly kind: 'stage'; readonly text: string }
  /** A heartbeat. */
  | { readonly kind: 'alive' }
  /** A yes-or-no question for the operator. */
  | { readonly kind: 'question'; readonly question: number; readonly text: string }
  | { readonly kind: 'result'; readonly result: R }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure }
