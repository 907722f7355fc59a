/** The contracts between the parts of the runtime: containers, their logs and their register. */
import type { Readable, Writable } from 'node:stream'
import type { Container } from 'kubernetes-types/core/v1.d.ts'
import type { ContainerExit, LogOptions } from '#platform/kube/ports'

export type OutputStream = 'stdout' | 'stderr'

/** The log files of one run of a container. */
export interface ContainerLog {
  add(stream: OutputStream, chunk: Uint8Array): void
  /** Ends all followers. Resolves when everything that was added can be read. */
  end(): Promise<void>
  read(options: LogOptions): Readable
  /** Resolves to the end of the log within the limits, which is the fallback for the termination message. */
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

/** A container that was started. */
export interface ContainerInstance {
  /** 64 hexadecimal digits, without `containerd://`. */
  readonly id: string
  readonly podUid: string
  readonly podName: string
  readonly namespace: string
  readonly container: Container
  /** How many times this container was started before in this pod. */
  readonly attempt: number
  /** Holds its bundle, writable layer and termination message. */
  readonly folder: string
  /** The folders that contain its changes to the root filesystem. */
  readonly writableFolders: readonly string[]
  /** The path of its control group, below the root of every hierarchy. */
  readonly cgroup: string
  readonly log: ContainerLog
  /** Set if its spec requests stdin and no terminal. */
  readonly stdin: Writable | undefined
  readonly terminal: Terminal | undefined
  /** The host's pid of the first process; undefined once it has ended. */
  readonly pid: number | undefined
  /** Calls `listener` for new output; the returned function unsubscribes. */
  subscribe(listener: (stream: OutputStream, chunk: Uint8Array) => void): () => void
  /** Resolves when the first process has ended and all output is read. */
  readonly ended: Promise<ContainerExit>
}

/** The containers of one node, without those of deleted pods. */
export interface ContainerRegister {
  running(podUid: string, name: string): ContainerInstance | undefined
  latest(podUid: string, name: string): ContainerInstance | undefined
  /** The run that preceded the latest one. */
  previous(podUid: string, name: string): ContainerInstance | undefined
  byId(id: string): ContainerInstance | undefined
  /** The latest run of every container. */
  containersOf(podUid: string): readonly ContainerInstance[]
  /** The running containers of all pods. */
  allRunning(): readonly ContainerInstance[]
}
