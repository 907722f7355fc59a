/** What the parts of the runtime know of a container that was made. */
import type { Readable, Writable } from 'node:stream'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { ContainerExit, LogOptions } from '../../ports/index.ts'

export type OutputStream = 'stdout' | 'stderr'

/** The log files of one run of a container. */
export interface ContainerLog {
  add(stream: OutputStream, chunk: Uint8Array): void
  /** Nothing more comes: followers end. Resolves when all that was added can be read. */
  end(): Promise<void>
  read(options: LogOptions): Readable
  /** The last text that was written, at most so much of it: what a termination message falls back to. */
  tail(limits: { bytes: number; lines: number }): Promise<string>
  sizeBytes(): number
}

/** The engine's side of a container's terminal. */
export interface Terminal {
  readonly input: Writable
  readonly output: Readable
  resize(size: { columns: number; rows: number }): void
  close(): void
}

/** A container that was made: what the parts of the runtime know of it. */
export interface ContainerInstance {
  /** 64 hexadecimal digits, without `containerd://`. */
  readonly id: string
  readonly podUid: string
  readonly podName: string
  readonly namespace: string
  readonly container: Container
  /** How many times this container was started before in this pod. */
  readonly attempt: number
  /** Its own folder: bundle, writable layer, termination message. */
  readonly folder: string
  /** Where the parts of its root filesystem lie that it can write, for those who measure it. */
  readonly writableFolders: readonly string[]
  /** The path of its control group, below the root of every hierarchy. */
  readonly cgroup: string
  readonly log: ContainerLog
  /** Where it listens to a standard input and has no terminal. */
  readonly stdin: Writable | undefined
  readonly terminal: Terminal | undefined
  /** The first process, as the host numbers it; while it runs. */
  readonly pid: number | undefined
  /** Follows what it writes, as it comes; the result ends that. */
  subscribe(listener: (stream: OutputStream, chunk: Uint8Array) => void): () => void
  /** Resolves when the first process has ended and all output is read. */
  readonly ended: Promise<ContainerExit>
}

/** The containers of one node. Those of a pod that was forgotten are gone from it. */
export interface ContainerRegister {
  running(podUid: string, name: string): ContainerInstance | undefined
  latest(podUid: string, name: string): ContainerInstance | undefined
  /** The one before the latest. */
  previous(podUid: string, name: string): ContainerInstance | undefined
  byId(id: string): ContainerInstance | undefined
  /** The latest run of every container. */
  ofPod(podUid: string): readonly ContainerInstance[]
  /** Those of all pods that run now: what uses the node. */
  allRunning(): readonly ContainerInstance[]
}
