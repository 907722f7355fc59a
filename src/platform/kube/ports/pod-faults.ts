/** The port between chaos objects and the injection of faults into pods. */
import type { Reply } from './runtime.ts'

/** The immutable identity of a pod. */
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
  /** Sends this share immediately, ahead of the delayed packets, every `gap` packets. Requires `delay`. */
  reorder?: { percent: number; correlation: number; gap: number }
  loss?: { percent: number; correlation: number }
  duplicate?: { percent: number; correlation: number }
  corrupt?: { percent: number; correlation: number }
  /** `rate` and `peakrate` in bits per second; the others in bytes. */
  bandwidth?: { rate: number; limit: number; buffer: number; peakrate?: number; minburst?: number }
}

export interface NetworkFault {
  type: 'network'
  target: FaultTarget
  /** The effects on outgoing packets. Exclusive with `cut`. */
  effects?: PacketEffects
  /** Drops all packets in this direction, from the pod's point of view. */
  cut?: 'outgoing' | 'incoming' | 'both'
  /** Limits the fault to these addresses with prefix length, such as `10.244.0.7/32`; all by default. */
  peers?: readonly string[]
}

export interface StressFault {
  type: 'stress'
  target: ContainerTarget
  cpu?: { workers: number; load: number }
  /** Each worker allocates `bytes` gradually over `growMs`. */
  memory?: { workers: number; bytes: number; growMs: number; oomScoreAdj: number }
  /** Arguments for stress-ng; replaces `cpu` and `memory`. */
  arguments?: readonly string[]
}

export type IoMethod = string

export interface IoFault {
  type: 'io'
  target: ContainerTarget
  /** The mount point in the container. */
  volumePath: string
  /** A file pattern below the mount point; all files by default. */
  path?: string
  /** FUSE methods such as read, write, open and fsync; all by default. */
  methods?: readonly IoMethod[]
  /** Percentage of affected calls, 0 to 100. */
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
  /** Clock names such as `CLOCK_REALTIME`. */
  clocks: readonly string[]
}

export interface DnsFault {
  type: 'dns'
  target: FaultTarget
  action: 'error' | 'random'
  /** Names such as `google.com`, `chaos-mesh.*` and `github.?om`; an empty list matches every name. */
  patterns: readonly string[]
}

export interface KillFault {
  type: 'kill'
  target: ContainerTarget
}

export type PodFault = NetworkFault | StressFault | IoFault | TimeFault | DnsFault | KillFault

export interface AppliedFault {
  /** Reverts the fault. Succeeds if the pod or container no longer exists. */
  recover(reply: Reply<void>): void
}

export interface PodFaults {
  /** Applies the fault and replies once it is effective. Several faults can affect one pod at a time. */
  apply(fault: PodFault, reply: Reply<AppliedFault>): void
}
