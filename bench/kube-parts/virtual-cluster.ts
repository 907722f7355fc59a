/** Runs the Deployments of Train-Ticket in this process, with a virtual clock. */
import { createRandom, createVirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime, deployments } from '#platform/kube'
import { trainTicketDeployments } from './train-ticket.ts'

const READY_WITHIN_MS = 300_000

/** Returns the milliseconds of real time until all Deployments are ready. */
export const timeVirtualCluster = (seed: string): number => {
  const clock = createVirtualClock()
  const random = createRandom(seed)
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_node, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex }),
  })
  clock.advance(1000)
  const { client } = cluster.resources
  const started = performance.now()
  for (const deployment of trainTicketDeployments()) client.create(deployments, deployment as never)
  const isReady = (): boolean => client.list(deployments).every(({ status }) => status.readyReplicas === 1)
  if (!clock.advanceUntil(isReady, READY_WITHIN_MS)) throw new Error('the Deployments did not become ready')
  const took = performance.now() - started
  cluster.stop()
  return took
}
