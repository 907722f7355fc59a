/** What users do with a system, how many of them there are, and what is noted of each request. */
import type { Expression } from './topology.ts'

/** One request of a user. Text with `${...}` has expressions in it, which see `user`, `session`, what was kept, and pick(). */
export interface JourneyStep {
  readonly name: string
  /** `GET /product/${product}` */
  readonly request: string
  /** Which door; the system's first where absent. */
  readonly entryPoint?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: Expression
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, Expression>>
  /** Before the request: names for values that later expressions use. */
  readonly let?: Readonly<Record<string, Expression>>
  /** Whether the answer is what a user wanted: sees `status`, `body` (JSON or text), `headers`. Status 200 to 399 where absent. */
  readonly expect?: Expression
  /** From the answer, for the later steps of the journey. */
  readonly keep?: Readonly<Record<string, Expression>>
  /** From the answer, for all later journeys of the same user: a token. */
  readonly keepInSession?: Readonly<Record<string, Expression>>
  /** Done only where this is true. */
  readonly when?: Expression
  /**
   * It only brings about what later steps need, such as an order to pay: what it takes is no part of the time of a walk, which
   * would depend on what users did before. The last step of a journey always counts.
   */
  readonly prepares?: boolean
  /** Whether redirects are followed, as browsers do; true where absent. */
  readonly follow?: boolean
  /** Milliseconds until the user gives up; 10,000 where absent. */
  readonly timeoutMs?: number
}

export interface Journey {
  readonly name: string
  readonly about?: string
  /** How often, beside the others; 0 for one that only tests and preparation walk. */
  readonly weight: number
  /** Journeys that a user has walked once before this one: a login. */
  readonly needs?: readonly string[]
  /** The system itself refuses whoever comes more often. Walks that are asked for keep to it. */
  readonly mostPerSecond?: number
  readonly steps: readonly JourneyStep[]
}

/** How many journeys begin when. */
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
  /** A CSV of arrivals: a column `ms` since the start, and optionally `journey`. Over and over where `repeat`. */
  | { readonly kind: 'replay'; readonly file: string; readonly repeat?: boolean }

export type LoadProfile =
  | {
      readonly loop: 'closed'
      readonly users: number
      readonly thinkMs: { readonly least: number; readonly most: number }
      /** The users come one after another over this time. */
      readonly startOverMs?: number
    }
  | {
      readonly loop: 'open'
      readonly arrivals: ArrivalPattern
      /** Journeys on the way at the same time at most; more are counted as dropped. */
      readonly most?: number
      /** To one entry point at the same time at most; who finds none free waits, which counts. As many as needed where absent. */
      readonly connections?: number
      /** Sessions that journeys share in turn; 20 where absent. */
      readonly users?: number
    }

export type RequestOutcome =
  | 'ok'
  /** The status is not one of success. */
  | 'status'
  /** The status is good, the content is not. */
  | 'content'
  | 'timeout'
  /** No connection, or it broke. */
  | 'connection'

/** One request as a user lived it. Times are milliseconds since the epoch, with fractions. */
export interface RequestRecord {
  readonly journey: string
  /** Which walk of the journey, counted from 0. */
  readonly walk: number
  readonly step: string
  /** When it should have been sent: what waited behind something slow is counted from here. */
  readonly intended: number
  readonly started: number
  /** From `intended` to the last byte. */
  readonly latencyMs: number
  readonly outcome: RequestOutcome
  /** 0 where none came. */
  readonly status: number
  /** What was wrong, in words; of those that were not ok. */
  readonly detail?: string
  readonly traceId: string
}

/** One walk of a journey, ended. It succeeded where every request was ok. */
export interface JourneyRecord {
  readonly journey: string
  readonly walk: number
  readonly intended: number
  readonly started: number
  readonly latencyMs: number
  readonly ok: boolean
  /** The step at which it failed. */
  readonly failedAt?: string
}

/** How well the generator kept its own promises. */
export interface GeneratorHealth {
  readonly arrivals: number
  readonly dropped: number
  /** Walks that have begun and not ended; once the generator has, those that it broke off. */
  readonly onTheWay: number
  /** How late journeys began after they should have. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly most: number }
  /** Cores that the generator itself used. */
  readonly cpu: number
}

export interface Workload {
  readonly journeys: readonly Journey[]
  /** The load that the system has by default. */
  readonly load: LoadProfile
  /** The load of episodes: open, and as low as lets the slowest program keep up. `load` where absent. */
  readonly brisk?: LoadProfile
}
