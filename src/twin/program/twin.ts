/** The parts of a process that all that runs in it shares. */
import type { Log, Tracer } from '../ports/index.ts'
import type { SpanExporter, TwinMeter } from '../watch/index.ts'
import type { Settings } from './settings.ts'
import type { Upstreams } from './upstreams.ts'

export interface Twin {
  readonly settings: Settings
  readonly log: Log
  readonly meter: TwinMeter
  readonly tracer: Tracer
  readonly exporter: SpanExporter
  readonly upstreams: Upstreams
}
