/** What the stages of episodes on one cluster share: its users, its objects, and the record that is written just now. */
import type {
  EngineCluster,
  Fault,
  JourneyRecord,
  RemediumError,
  System,
  SystemView,
  TimeRange,
} from '../spec/index.ts'
import type { EpisodeTime } from './episode-time.ts'
import type { EventLog } from './event-log.ts'
import type { HealthyWalks } from './healthy-walks.ts'
import type { LabUsers } from './lab-users.ts'
import type { ObjectWatch } from './watch-objects.ts'

export interface LabOptions {
  readonly cluster: EngineCluster
  readonly system: System
  readonly faults: ReadonlyMap<string, Fault>
  readonly seed: string
  /** The name of the cluster's engine; `local` where absent. */
  readonly engine?: string
  /** Told in words what is done just now. */
  onProgress?(line: string): void
}

export interface LabCore {
  readonly cluster: EngineCluster
  readonly engine: string
  readonly system: System
  readonly view: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  readonly time: EpisodeTime
  readonly users: LabUsers
  readonly objects: ObjectWatch
  readonly healthy: HealthyWalks
  /** What walks and changes of objects are recorded in; nothing between episodes. */
  log: EventLog | undefined
  /** Walks that began then or later count as healthy ones; nothing while a fault may be there. */
  wellSince: number | undefined
  /** When the system was reset last: what began before says nothing of what is there now. */
  resetAt: number
  /** Of the episode: when users were well, before the fault. */
  calm: TimeRange | undefined
  /** How many times in a row it was reset with what users had written left there. */
  resetsWithData: number
  /** What made the laboratory useless. */
  failure: RemediumError | undefined
  /** The walks of the episode, from its injection on. */
  walks: JourneyRecord[]
  /** Resolves at the next walk or change of an object, or after so long. Throws where the laboratory has failed. */
  news(ms: number): Promise<void>
}
