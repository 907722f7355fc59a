/** The context of a program: the cluster, time, its input and its output. */
import type { Clock } from '#kit'
import type { KubeApi, KubeDiscovery } from '#spec'

export interface CommandOptions {
  readonly api: KubeApi
  readonly discovery: KubeDiscovery
  readonly clock: Clock
  /** The namespace of the kubeconfig. */
  readonly namespace: string
}

export interface ProgramCall extends CommandOptions {
  readonly args: readonly string[]
  readonly stdin: string
  readonly signal: AbortSignal
  out(text: string): void
  err(text: string): void
  /** Rejects with the reason of the signal if the command is stopped. */
  sleep(milliseconds: number): Promise<void>
}

/** Returns the exit code. */
export type Program = (call: ProgramCall) => Promise<number>
