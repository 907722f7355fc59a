/** What goes over the channel between a generator's process and the one that started it. */
import type { GeneratorHealth, JourneyRecord, RequestRecord } from '../spec/index.ts'
import type { GeneratorOptions } from './create-generator.ts'
import type { ProbeState } from './probes.ts'

export type GeneratorOrder =
  | {
      readonly kind: 'start'
      readonly options: Pick<
        GeneratorOptions,
        'workload' | 'load' | 'trace' | 'entryPoints' | 'seed' | 'durationMs'
      >
    }
  /** Walks the journey so many times, from now on, whatever the load. */
  | { readonly kind: 'walk'; readonly journey: string; readonly times: number; readonly atATime: number }
  /** So many times as many as the load says arrive. */
  | { readonly kind: 'rate'; readonly factor: number }
  /** Everybody forgets what he carries: the data behind it is gone. */
  | { readonly kind: 'renew' }
  /** Lets what is on its way end, for so long. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export interface RecordBatch {
  readonly requests: readonly RequestRecord[]
  readonly journeys: readonly JourneyRecord[]
  /** Of the walks that were asked for. */
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
