/** How modelled images and containers behave: what a simulation says of the programs it does not run. */
import type { Duplex } from 'node:stream'
import type { ContainerExit, ProbeAction, ProbeResult, StartContainer } from '../../ports/index.ts'

/** An image as a registry would have it. */
export interface ImageModel {
  sizeBytes?: number
  pullMs?: number
  /** The image lies on every node from the start. */
  present?: boolean
  /** Why it cannot be pulled, in the words of the registry. */
  pullError?: string
  /** The program in it, made anew for each start. A container without a model runs for ever. */
  run?(start: StartContainer, handle: ContainerHandle): ContainerModel
}

/** What a model may do to its own container while it runs. */
export interface ContainerHandle {
  /** Ends the main process now. */
  exit(exit: ContainerExit): void
}

export interface LogLine {
  /** Milliseconds since the container's start. */
  atMs: number
  text: string
}

export interface ExecAnswer {
  exitCode: number
  stdout?: string
  stderr?: string
}

/** One run of a program. All times are milliseconds since the container's start. */
export interface ContainerModel {
  /** From the runtime's call until the process runs. */
  startMs?: number
  /** Why the process cannot be started, as the OCI runtime words it. */
  startError?: string
  /** When and how the process ends by itself. */
  exit?: ContainerExit & { afterMs: number }
  /** How it answers a request to end; a model without this ends at once with code 0. */
  stop?: { afterMs: number; exitCode: number } | 'ignores'
  /** Probes succeed where this is absent. */
  probe?(probe: ProbeAction, atMs: number): ProbeResult
  /** How long a probe takes; longer than its timeout is a failure. */
  probeMs?: number
  /** Cores and bytes in use. */
  usage?(atMs: number): { cpu: number; memory: number }
  /** Lines written in [fromMs, toMs), in order of time. */
  logs?(fromMs: number, toMs: number): readonly LogLine[]
  /** Undefined: there is no such program in the image. */
  exec?(command: readonly string[], stdin: string): ExecAnswer | undefined
  /** Undefined: nothing listens on the port. */
  connect?(port: number): Duplex | undefined
}
