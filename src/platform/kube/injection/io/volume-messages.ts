/** The messages between the engine and the program that serves a volume. */
import type { IoRule } from '#platform/kube/io-effects'

export interface VolumeTask {
  /** A process of the container. */
  pid: number
  /** The expected mount namespace of the process, because its pid may be reused. */
  mountNamespace: string
  volumePath: string
  /** Identifies the mount. */
  source: string
  seed: string
}

export type VolumeCommand = { number: number; id: number } & (
  | { type: 'add'; rule: IoRule }
  | { type: 'remove' }
)

export type VolumeAnswer =
  | { type: 'mounted'; mountPoint: string; mountId: number }
  | { type: 'failed'; message: string }
  | { type: 'done'; number: number }
