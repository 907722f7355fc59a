/** The equipment of a laboratory, used by all stages: users, the watch on objects, the record being written. */
import type { EngineCluster, Fault, System, SystemView } from '#spec'
import type { EpisodeTime } from './episode-time.ts'
import type { FailureLatch } from './failure-latch.ts'
import type { JourneyTracker } from './journey-tracker.ts'
import type { LabUsers } from './lab-users.ts'
import type { Recorder } from './recorder.ts'
import type { SystemReset } from './system-reset.ts'
import type { ObjectWatch } from './watch-objects.ts'

/** Every member manages its own state; the equipment itself is never changed. */
export interface Equipment {
  readonly cluster: EngineCluster
  /** The name of the cluster's engine. */
  readonly engine: string
  readonly system: System
  readonly view: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  readonly time: EpisodeTime
  readonly users: LabUsers
  readonly objects: ObjectWatch
  readonly journeys: JourneyTracker
  readonly recorder: Recorder
  readonly failure: FailureLatch
  readonly resets: SystemReset
  /** Resolves at the next journey run or object change, or after `ms`. Throws if the laboratory has failed. */
  nextChange(ms: number): Promise<void>
}
