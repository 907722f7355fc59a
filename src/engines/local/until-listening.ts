/** Waits until the programs of a system listen: those that nobody probes are Ready before they can answer. */
import { readFileSync } from 'node:fs'
import { type Clock, sleep } from '../../kit/index.ts'
import { type Client, type PodProcesses, pods } from '../../kube/index.ts'

/** The state of a socket that listens, as the kernel writes it. */
const LISTENS = '0A'
const STATE_COLUMN = 3
const PAUSE_MS = 10

interface Container {
  readonly name: string
  readonly ports?: readonly { readonly protocol?: string }[]
  readonly readinessProbe?: object
}

/** Whether anything in the network namespace of this process listens; true of one that has ended. */
export const listensSomewhere = (pid: number): boolean => {
  try {
    return ['tcp', 'tcp6'].some((table) =>
      readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
        .split('\n')
        .some((line) => line.trim().split(/\s+/)[STATE_COLUMN] === LISTENS),
    )
  } catch {
    return true
  }
}

const isExpected = ({ ports = [], readinessProbe }: Container): boolean =>
  readinessProbe === undefined && ports.some(({ protocol = 'TCP' }) => protocol === 'TCP')

/** The first processes of the containers that have ports and no probe. */
const expectedIn = (client: Client, processes: PodProcesses, namespace: string): number[] =>
  client
    .list(pods, namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap(({ metadata, spec }) => {
      const names = (spec.containers as readonly Container[]).filter(isExpected).map(({ name }) => name)
      const running = processes.find(metadata.uid)?.containers ?? []
      return running.filter(({ name }) => names.includes(name)).map(({ pid }) => pid)
    })

/** Gives up waiting, without a word, when the time is over: a program may have its reasons. */
export const untilListening = async (options: {
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
    if (expectedIn(client, processes, namespace).every(listensSomewhere)) return
    if (clock.now() > deadline) return
    await sleep(clock, PAUSE_MS)
  }
}
