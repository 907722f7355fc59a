/** What the stages of episodes on one cluster share: its users, its objects, and the record that is written just now. */
import type {
  EngineCluster,
  Fault,
  JourneyRecord,
  RemediumError,
  System,
  SystemView,
  UserControl,
} from '../spec/index.ts'
import type { RunningWorkload } from '../workload/index.ts'
import type { EpisodeTime } from './episode-time.ts'
import type { EventLog } from './event-log.ts'
import type { HealthyWalks } from './healthy-walks.ts'
import type { ObjectWatch } from './watch-objects.ts'

export interface LabCore {
  readonly cluster: EngineCluster
  readonly system: System
  readonly view: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  readonly time: EpisodeTime
  readonly users: RunningWorkload & { readonly control: UserControl }
  readonly objects: ObjectWatch
  readonly healthy: HealthyWalks
  /** What walks and changes of objects are recorded in; nothing between episodes. */
  log: EventLog | undefined
  /** Walks that began then or later count as healthy ones; nothing while a fault may be there. */
  wellSince: number | undefined
  /** When the system was reset last: what began before says nothing of what is there now. */
  resetAt: number
  /** What made the laboratory useless. */
  failure: RemediumError | undefined
  /** The walks of the episode, from its injection on. */
  walks: JourneyRecord[]
  /** Asks for walks beside the load; `most` counts those that are still to end. */
  walk(journey: string, most: number): void
  /** Resolves at the next walk or change of an object, or after so long. Throws where the laboratory has failed. */
  news(ms: number): Promise<void>
}
