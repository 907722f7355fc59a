/** Journeys of users, load profiles, and the records of requests and journey runs. */
import type { Expression } from './topology.ts'

/**
 * One request of a user. Strings can contain expressions in `${...}`, with `user`, `session`, kept values and
 * pick().
 */
export interface JourneyStep {
  readonly name: string
  /** `GET /product/${product}` */
  readonly request: string
  /** The name of an entry point; the system's first by default. */
  readonly entryPoint?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: Expression
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, Expression>>
  /** Variables for later expressions, evaluated before the request. */
  readonly let?: Readonly<Record<string, Expression>>
  /**
   * Whether the response is as expected; can use `status`, `body` (JSON or text) and `headers`. By default,
   * the status must be 200 to 399.
   */
  readonly expect?: Expression
  /** Values of the response for later steps of the journey. */
  readonly keep?: Readonly<Record<string, Expression>>
  /** Values of the response for all later journeys of the same user, such as a token. */
  readonly keepInSession?: Readonly<Record<string, Expression>>
  /** The step is skipped unless this is true. */
  readonly when?: Expression
  /**
   * The step only prepares later ones, for example by placing an order to pay. Its latency is not part of the
   * journey run's latency, because it depends on earlier journeys. The last step of a journey always counts.
   */
  readonly prepares?: boolean
  /** Whether redirects are followed; true by default. */
  readonly follow?: boolean
  /** Timeout of the request; 10,000 by default. */
  readonly timeoutMs?: number
}

export interface Journey {
  readonly name: string
  readonly about?: string
  /** The relative frequency; 0 for a journey that runs only on request or because other journeys need it. */
  readonly weight: number
  /** Journeys that a user runs once before this one, such as a login. */
  readonly needs?: readonly string[]
  /** The rate limit of the system for this journey. Requested runs respect it. */
  readonly maxPerSecond?: number
  readonly steps: readonly JourneyStep[]
}

/** When journeys start; rates are journeys per second. */
export type ArrivalPattern =
  | { readonly kind: 'constant'; readonly rate: number }
  | { readonly kind: 'poisson'; readonly rate: number }
  | {
      readonly kind: 'bursty'
      readonly rate: number
      readonly burstRate: number
      readonly burstMs: number
      readonly calmMs: number
    }
  | { readonly kind: 'daily'; readonly low: number; readonly high: number; readonly dayMs: number }
  | { readonly kind: 'ramp'; readonly from: number; readonly to: number; readonly overMs: number }
  | {
      readonly kind: 'spike'
      readonly rate: number
      readonly spikeRate: number
      readonly atMs: number
      readonly forMs: number
    }
  /** A CSV of arrivals with a column `ms` (since the start) and optionally `journey`; repeated endlessly with `repeat`. */
  | { readonly kind: 'replay'; readonly file: string; readonly repeat?: boolean }

export type LoadProfile =
  | {
      readonly loop: 'closed'
      readonly users: number
      readonly thinkMs: { readonly min: number; readonly max: number }
      /** The starts of the users are spread evenly over this time. */
      readonly startOverMs?: number
    }
  | {
      readonly loop: 'open'
      readonly arrivals: ArrivalPattern
      /** The maximum number of concurrent journey runs; further arrivals are dropped and counted. */
      readonly maxConcurrent?: number
      /** The maximum number of concurrent connections to one entry point; waiting for one counts as latency. Unlimited by default. */
      readonly connections?: number
      /** The number of users among whom journeys alternate; 20 by default. */
      readonly users?: number
    }

export type RequestOutcome =
  | 'ok'
  /** The status is an error. */
  | 'status'
  /** The status is a success, but the content is not as expected. */
  | 'content'
  | 'timeout'
  /** The connection was refused or closed. */
  | 'connection'

/** One request of a user. Times are milliseconds since the epoch, with fractions. */
export interface RequestRecord {
  readonly journey: string
  /** The number of the journey run, starting at 0. */
  readonly run: number
  readonly step: string
  /**
   * When the request was due. Latency is measured from this time, so that it includes waiting behind a slow
   * request.
   */
  readonly intended: number
  readonly started: number
  /** From `intended` to the last byte. */
  readonly latencyMs: number
  readonly outcome: RequestOutcome
  /** 0 without a response. */
  readonly status: number
  /** The reason for a failure. */
  readonly detail?: string
  readonly traceId: string
}

/** One journey run that has ended. It is ok if all its requests were ok. */
export interface JourneyRecord {
  readonly journey: string
  /** The number of the journey run, starting at 0. */
  readonly run: number
  readonly intended: number
  readonly started: number
  readonly latencyMs: number
  readonly ok: boolean
  /** The step at which it failed. */
  readonly failedAt?: string
}

/** How closely the load generator followed its schedule. */
export interface GeneratorHealth {
  readonly arrivals: number
  readonly dropped: number
  /** The number of active journey runs; after the generator has ended, of those that it aborted. */
  readonly unfinished: number
  /** The delay of journey starts. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** The average number of cores that the generator used. */
  readonly cpu: number
}

export interface Workload {
  readonly journeys: readonly Journey[]
  /** The default load of the system. */
  readonly load: LoadProfile
  /**
   * The load of episodes: an open loop with a rate that the slowest service can sustain. `load` by default.
   */
  readonly brisk?: LoadProfile
}
