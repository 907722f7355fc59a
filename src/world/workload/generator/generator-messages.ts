/** The messages between a generator process and its parent. */
import type { GeneratorHealth, JourneyRecord, RequestRecord } from '#spec'
import type { GeneratorOptions } from './create-generator.ts'
import type { ProbeState } from './probes.ts'

export type GeneratorCommand =
  | {
      readonly kind: 'start'
      readonly options: Pick<
        GeneratorOptions,
        'workload' | 'load' | 'trace' | 'entryPoints' | 'seed' | 'durationMs'
      >
    }
  /** Runs the journey `times` times in addition to the load. */
  | {
      readonly kind: 'run-journey'
      readonly journey: string
      readonly times: number
      readonly maxActive: number
    }
  /** Multiplies the arrivals of the load profile. */
  | { readonly kind: 'rate'; readonly factor: number }
  /** Drops the sessions and cookies of all users. */
  | { readonly kind: 'reset-users' }
  /** Starts no more journeys, and waits up to `graceMs` for the active ones. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export interface RecordBatch {
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
  /** The progress of the requested runs. */
  readonly probes?: ProbeState
}

export type GeneratorMessage =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'records' } & RecordBatch)
  | { readonly kind: 'health'; readonly health: GeneratorHealth }
  | { readonly kind: 'ended'; readonly health: GeneratorHealth }
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly hint: string | undefined
      readonly stack: string | undefined
    }
