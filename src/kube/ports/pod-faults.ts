/** The port between chaos objects and the machinery that does to pods what they say. */
import type { Reply } from './runtime.ts'

/** A pod, by what does not change while it lives. */
export interface FaultTarget {
  namespace: string
  pod: string
  uid: string
}

export interface ContainerTarget extends FaultTarget {
  container: string
}

/** Percentages are 0 to 100, times in milliseconds, correlations 0 to 100. */
export interface PacketEffects {
  delay?: { latencyMs: number; jitterMs: number; correlation: number }
  /** Sends this share at once, ahead of the delayed ones; `gap` packets lie between. Needs `delay`. */
  reorder?: { percent: number; correlation: number; gap: number }
  loss?: { percent: number; correlation: number }
  duplicate?: { percent: number; correlation: number }
  corrupt?: { percent: number; correlation: number }
  /** Bits a second; bytes for the others. */
  bandwidth?: { rate: number; limit: number; buffer: number; peakrate?: number; minburst?: number }
}

export interface NetworkFault {
  type: 'network'
  target: FaultTarget
  /** What happens to packets that leave the pod ... */
  effects?: PacketEffects
  /** ... or that none pass, in this direction as the pod sees it. */
  cut?: 'outgoing' | 'incoming' | 'both'
  /** Only to (or from) these addresses, each with a prefix length: `10.244.0.7/32`. Absent: all. */
  peers?: readonly string[]
}

export interface StressFault {
  type: 'stress'
  target: ContainerTarget
  cpu?: { workers: number; load: number }
  /** `bytes` for each worker; growing to it over `growMs`. */
  memory?: { workers: number; bytes: number; growMs: number; oomScoreAdj: number }
  /** Arguments for stress-ng, in place of the others. */
  arguments?: readonly string[]
}

export type IoMethod = string

export interface IoFault {
  type: 'io'
  target: ContainerTarget
  /** The mount point in the container. */
  volumePath: string
  /** A pattern of files below it; absent: all. */
  path?: string
  /** FUSE's words: read, write, open, fsync, ...; absent: all. */
  methods?: readonly IoMethod[]
  /** Share of the calls that are hit, 0 to 100. */
  percent: number
  effect:
    | { kind: 'latency'; delayMs: number }
    | { kind: 'error'; errno: number }
    | { kind: 'attributes'; attributes: Readonly<Record<string, number | string>> }
    | { kind: 'mistake'; filling: 'zero' | 'random'; maxOccurrences: number; maxLength: number }
}

export interface TimeFault {
  type: 'time'
  target: ContainerTarget
  offsetMs: number
  /** `CLOCK_REALTIME` and the like. */
  clocks: readonly string[]
}

export interface DnsFault {
  type: 'dns'
  target: FaultTarget
  action: 'error' | 'random'
  /** `google.com`, `chaos-mesh.*`, `github.?om`; empty: every name. */
  patterns: readonly string[]
}

export interface KillFault {
  type: 'kill'
  target: ContainerTarget
}

export type PodFault = NetworkFault | StressFault | IoFault | TimeFault | DnsFault | KillFault

export interface AppliedFault {
  /** Undoes it. Replies well, too, when the pod or container is gone by then. */
  recover(reply: Reply<void>): void
}

export interface PodFaults {
  /** Does it, and replies when it is felt. Several may act on one pod at the same time. */
  apply(fault: PodFault, reply: Reply<AppliedFault>): void
}
