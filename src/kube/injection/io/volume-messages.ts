/** What the engine and the program that serves a volume say to each other. */
import type { IoRule } from './effects.ts'

export interface VolumeTask {
  /** A process of the container. */
  pid: number
  /** Where that process must be, as its link names it: by the time it is looked at, the number may be another's. */
  mountNamespace: string
  volumePath: string
  /** Tells the mount from all others. */
  source: string
  seed: string
}

export type VolumeOrder = { number: number; id: number } & (
  | { type: 'add'; rule: IoRule }
  | { type: 'remove' }
)

export type VolumeAnswer =
  | { type: 'mounted'; mountPoint: string; mountId: number }
  | { type: 'failed'; message: string }
  | { type: 'done'; number: number }
