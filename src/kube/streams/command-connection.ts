/** The streams of one exec or attach, whatever carries them. */
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../kit/index.ts'

/** What the client asked for in the query of its request. */
export interface RemoteCommandOptions {
  /** The command of an exec; absent for an attach. */
  readonly command?: readonly string[]
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
  /** Real time, even where the cluster runs on a virtual clock: the client at the other end is real. */
  readonly clock: Clock
}

export interface CommandConnection {
  /** Of `vN.channel.k8s.io`; the plain `channel.k8s.io` is 1. */
  readonly version: number
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** Carries JSON texts with the size of the client's terminal. */
  readonly resize: Readable | undefined
  /** Carries how the command ended. */
  readonly error: Writable
  /** Aborts when the connection is no more. */
  readonly closed: AbortSignal
  close(): void
}

/** 4 for `v4.channel.k8s.io`, 1 for `channel.k8s.io`, `base64.channel.k8s.io` and none at all. */
export const versionOf = (protocol: string): number => Number(/^v(\d)\./.exec(protocol)?.[1] ?? 1)
