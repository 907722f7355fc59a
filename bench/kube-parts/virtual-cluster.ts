/** Fifty Deployments under the virtual clock, in process: how long until all are Ready. */
import { createRandom, createVirtualClock } from '../../src/kit/index.ts'
import { createCluster, createSimulatedRuntime, deployments } from '../../src/kube/index.ts'
import { trainTicketDeployments } from './train-ticket.ts'

/** Milliseconds of real time. */
export const readyIn = (seed: string): number => {
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
  if (!clock.advanceUntil(isReady, 300_000)) throw new Error('the Deployments did not become Ready')
  const took = performance.now() - started
  cluster.stop()
  return took
}
