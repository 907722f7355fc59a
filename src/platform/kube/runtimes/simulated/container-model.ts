/** The models of simulated images and containers. */
import type { Duplex } from 'node:stream'
import type { ContainerExit, ProbeAction, ProbeResult, StartContainer } from '#platform/kube/ports'

/** An image of the simulated registry. */
export interface ImageModel {
  sizeBytes?: number
  pullMs?: number
  /** The image is present on every node from the start. */
  present?: boolean
  /** The registry's error if it cannot be pulled. */
  pullError?: string
  /** Creates the model of the program at each start. By default, containers run indefinitely. */
  run?(start: StartContainer, handle: ContainerHandle): ContainerModel
}

/** Lets a model control its container. */
export interface ContainerHandle {
  /** Ends the main process now. */
  exit(exit: ContainerExit): void
}

export interface LogLine {
  /** Milliseconds since the container's start. */
  atMs: number
  text: string
}

export interface ExecOutput {
  exitCode: number
  stdout?: string
  stderr?: string
}

/** One run of a program. All times are milliseconds since the container's start. */
export interface ContainerModel {
  /** The time from the runtime's call until the process runs. */
  startMs?: number
  /** The OCI runtime's error if the process cannot be started. */
  startError?: string
  /** When and how the process exits without a stop signal. */
  exit?: ContainerExit & { afterMs: number }
  /** The reaction to the stop signal; by default, the process exits immediately with code 0. */
  stop?: { afterMs: number; exitCode: number } | 'ignores'
  /** Probes succeed by default. */
  probe?(probe: ProbeAction, atMs: number): ProbeResult
  /** The duration of a probe; a probe that takes longer than its timeout fails. */
  probeMs?: number
  /** Cores and bytes in use. */
  usage?(atMs: number): { cpu: number; memory: number }
  /** Lines written in [fromMs, toMs), in order of time. */
  logs?(fromMs: number, toMs: number): readonly LogLine[]
  /** Returns undefined if the image has no such program. */
  exec?(command: readonly string[], stdin: string): ExecOutput | undefined
  /** Returns undefined if no process listens on the port. */
  connect?(port: number): Duplex | undefined
}
