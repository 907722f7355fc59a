/** Waits until the programs of a system listen. Without a readiness probe, a container is Ready before that. */
import { readFileSync } from 'node:fs'
import { type Clock, sleep } from '#kit'
import { type Client, type PodProcesses, pods } from '#platform/kube'

/** The state LISTEN in /proc/net/tcp. */
const LISTEN_STATE = '0A'
const STATE_COLUMN = 3
const POLL_MS = 10

interface Container {
  readonly name: string
  readonly ports?: readonly { readonly protocol?: string }[]
  readonly readinessProbe?: object
}

/** Whether any socket in the network namespace of the process listens; true if the process has ended. */
export const isListening = (pid: number): boolean => {
  try {
    return ['tcp', 'tcp6'].some((table) =>
      readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
        .split('\n')
        .some((line) => line.trim().split(/\s+/)[STATE_COLUMN] === LISTEN_STATE),
    )
  } catch {
    return true
  }
}

const shouldListen = ({ ports = [], readinessProbe }: Container): boolean =>
  readinessProbe === undefined && ports.some(({ protocol = 'TCP' }) => protocol === 'TCP')

/** The main processes of containers with a TCP port and no readiness probe. */
const findServerProcesses = (client: Client, processes: PodProcesses, namespace: string): number[] =>
  client
    .list(pods, namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap(({ metadata, spec }) => {
      const names = (spec.containers as readonly Container[]).filter(shouldListen).map(({ name }) => name)
      const runningContainers = processes.find(metadata.uid)?.containers ?? []
      return runningContainers.filter(({ name }) => names.includes(name)).map(({ pid }) => pid)
    })

/** Waits until all server processes listen. Also resolves at the timeout. */
export const waitUntilListening = async (options: {
  readonly client: Client
  readonly processes: PodProcesses
  readonly namespace: string
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}): Promise<void> => {
  const { client, processes, namespace, clock, timeoutMs, signal } = options
  const deadline = clock.now() + timeoutMs
  for (;;) {
    signal?.throwIfAborted()
    if (findServerProcesses(client, processes, namespace).every(isListening)) return
    if (clock.now() > deadline) return
    await sleep(clock, POLL_MS)
  }
}
