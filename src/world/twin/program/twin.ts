/** The shared parts of a twin's process. */

import type { TwinMeter } from '#world/twin/instrumentation'
import type { Log, Tracer, TwinHost } from '#world/twin/ports'
import type { Settings } from './settings.ts'
import type { Upstreams } from './upstreams.ts'

export interface Twin {
  readonly host: TwinHost
  readonly settings: Settings
  readonly log: Log
  readonly meter: TwinMeter
  readonly tracer: Tracer
  readonly upstreams: Upstreams
}
