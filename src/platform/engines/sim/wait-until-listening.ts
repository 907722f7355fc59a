/** Waits until the programs of a system listen. Without a readiness probe, a container is Ready before that. */
import { type Clock, sleep } from '#kit'
import type { SimNetwork } from '#platform/engines/sim/network'
import type { SimPods } from '#platform/engines/sim/runtime'
import { type Client, pods as podKind } from '#platform/kube/simulated'

/** Startup continues after this time: a program that does not listen by then has a different problem. */
const TIMEOUT_MS = 10_000
const POLL_MS = 10

interface ContainerPorts {
  readonly name: string
  readonly ports?: readonly { readonly protocol?: string }[]
  readonly readinessProbe?: object
}

const shouldListen = ({ ports = [], readinessProbe }: ContainerPorts): boolean =>
  readinessProbe === undefined && ports.some(({ protocol = 'TCP' }) => protocol === 'TCP')

/** A container may listen on ports other than those that it declares. */
const areAllListening = ({ client, pods, network, namespace }: ListeningOptions): boolean =>
  client
    .list(podKind, namespace)
    .filter(({ metadata: { uid, deletionTimestamp }, spec }) => {
      const names = (spec.containers as readonly ContainerPorts[])
        .filter(shouldListen)
        .map(({ name }) => name)
      const running = pods.find(uid)?.containers() ?? []
      return deletionTimestamp === undefined && running.some(({ name }) => names.includes(name))
    })
    .every(({ metadata }) => network.hasListener(metadata.uid))

interface ListeningOptions {
  readonly client: Client
  readonly pods: SimPods
  readonly network: SimNetwork
  readonly namespace: string
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/** Also resolves at the timeout. */
export const waitUntilListening = async (options: ListeningOptions): Promise<void> => {
  const { clock, signal } = options
  const deadline = clock.now() + TIMEOUT_MS
  while (!areAllListening(options) && clock.now() < deadline) {
    signal?.throwIfAborted()
    await sleep(clock, POLL_MS)
  }
}
