/** The streams of one exec or attach, independent of the protocol. */
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '#kit'

/** The options in the query of the request. */
export interface RemoteCommandOptions {
  /** The command of an exec; undefined for an attach. */
  readonly command?: readonly string[]
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
  /** Real time, even if the cluster has a virtual clock, because the client is real. */
  readonly clock: Clock
}

export interface CommandConnection {
  /** The N of `vN.channel.k8s.io`; 1 for `channel.k8s.io`. */
  readonly version: number
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** Carries the terminal size as JSON. */
  readonly resize: Readable | undefined
  /** Carries the exit status. */
  readonly error: Writable
  /** Aborts when the connection is closed. */
  readonly closed: AbortSignal
  close(): void
}

/** Returns 4 for `v4.channel.k8s.io`; 1 for `channel.k8s.io`, `base64.channel.k8s.io` and no protocol. */
export const versionOf = (protocol: string): number => Number(/^v(\d)\./.exec(protocol)?.[1] ?? 1)
