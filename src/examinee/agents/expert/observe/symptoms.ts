/** Lists symptoms: unhealthy pods, incomplete Deployments, degraded calls and failing journeys. */
import { replicasOf, viewAs } from '#spec'
import type { PodView } from './pods.ts'
import { type Call, describeCall, isDegraded } from './traffic.ts'
import type { World } from './world.ts'

/** Lists the pods that are not ready or have a waiting container. */
export const listUnhealthyPods = async (world: World): Promise<readonly PodView[]> =>
  (await world.pods()).filter(({ isReady, waitingReason }) => !isReady || waitingReason !== undefined)

/** Lists the Deployments with fewer ready pods than desired, or with no desired pods. */
export const listIncompleteDeployments = async (world: World): Promise<readonly string[]> =>
  (await world.objects('Deployment')).flatMap((object) => {
    const replicas = replicasOf(object)
    const readyReplicas = viewAs('Deployment', object).status?.readyReplicas ?? 0
    const text = `${object.metadata.name} has ${readyReplicas} of ${replicas} pods ready`
    return readyReplicas < Math.max(1, replicas) ? [text] : []
  })

/** Lists the calls that fail, are slow or have ceased. */
export const listDegradedCalls = async (world: World): Promise<readonly Call[]> =>
  (await world.calls()).filter(isDegraded)

/** Lists the journeys of which at least two runs and more than 10 % of the runs fail. */
export const listFailingJourneys = async (world: World): Promise<readonly string[]> =>
  (await world.metrics()).journeys
    .filter(({ errors, errorRate }) => errors >= 2 && errorRate > 0.1)
    .map(({ journey, errors, count }) => `${errors} of ${count} runs of the journey ${journey} failed`)

/** Lists the symptoms of one service. */
export const listSymptomsOf = async (world: World, service: string): Promise<readonly string[]> => {
  const pods = (await listUnhealthyPods(world)).filter((pod) => pod.service === service)
  const calls = (await listDegradedCalls(world)).filter(({ from, to }) => from === service || to === service)
  return [
    ...pods.map(
      (pod) => `pod ${pod.name} is unhealthy: ${pod.waitingReason ?? pod.schedulingFailure ?? pod.phase}`,
    ),
    ...calls.slice(0, 3).map(describeCall),
  ]
}
