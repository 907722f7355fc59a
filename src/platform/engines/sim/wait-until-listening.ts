/** Waits until the programs of a system listen. Without a readiness probe, a container is Ready before that. */
import { type Clock, sleep } from '#kit'
import type { SimContainer, SimPods } from '#platform/engines/sim/runtime'
import { type Client, pods as podKind } from '#platform/kube/simulated'

/** Startup continues after this time: a program that does not listen by then has a different problem. */
const TIMEOUT_MS = 10_000
const POLL_MS = 10

interface ContainerPorts {
  readonly name: string
  readonly ports?: readonly { readonly containerPort: number; readonly protocol?: string }[]
  readonly readinessProbe?: object
}

/** The TCP ports of a container without a readiness probe. */
const expectedPorts = ({ ports = [], readinessProbe }: ContainerPorts): number[] =>
  readinessProbe === undefined
    ? ports.flatMap(({ containerPort, protocol = 'TCP' }) => (protocol === 'TCP' ? [containerPort] : []))
    : []

/** A container can declare ports on which it does not listen. */
const isAnyListening = (ports: readonly number[], program: SimContainer): boolean =>
  ports.length === 0 || ports.some(program.isListening)

const areAllListening = (client: Client, pods: SimPods, namespace: string): boolean =>
  client
    .list(podKind, namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .every(({ metadata, spec }) => {
      const running = pods.find(metadata.uid)?.containers() ?? []
      return (spec.containers as readonly ContainerPorts[]).every((container) => {
        const program = running.find(({ name }) => name === container.name)
        return program === undefined || isAnyListening(expectedPorts(container), program)
      })
    })

/** Also resolves at the timeout. */
export const waitUntilListening = async (options: {
  readonly client: Client
  readonly pods: SimPods
  readonly namespace: string
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}): Promise<void> => {
  const { client, pods, namespace, clock, signal } = options
  const deadline = clock.now() + TIMEOUT_MS
  while (!areAllListening(client, pods, namespace) && clock.now() < deadline) {
    signal?.throwIfAborted()
    await sleep(clock, POLL_MS)
  }
}
