/** Who suffers: services whose pods do not serve, or whose calls fail or take long. */
import { specOf, statusOf } from './kube-shapes.ts'
import type { PodView } from './pods.ts'
import { type Call, describeCall, isTroubled } from './traffic.ts'
import type { World } from './world.ts'

/** Pods that do not serve though they should. */
export const sickPods = async (world: World): Promise<readonly PodView[]> =>
  (await world.pods()).filter(({ ready, waiting }) => !ready || waiting !== undefined)

/** Deployments that have fewer pods than they want, or want none. */
export const missingPods = async (world: World): Promise<readonly string[]> =>
  (await world.objects('Deployment')).flatMap((object) => {
    const { replicas = 1 } = specOf<{ replicas?: number }>(object)
    const { readyReplicas = 0 } = statusOf<{ readyReplicas?: number }>(object)
    const text = `${object.metadata.name} has ${readyReplicas} of ${replicas} pods`
    return readyReplicas < Math.max(1, replicas) ? [text] : []
  })

/** Calls that fail, take long or have ceased. */
export const troubledCalls = async (world: World): Promise<readonly Call[]> =>
  (await world.calls()).filter(isTroubled)

/** Journeys of users of which more than a chance walk fails. */
export const failingJourneys = async (world: World): Promise<readonly string[]> =>
  (await world.metrics()).journeys
    .filter(({ errors, errorRate }) => errors >= 2 && errorRate > 0.1)
    .map(({ journey, errors, count }) => `${errors} of ${count} walks of ${journey} fail`)

/** What speaks against a service, in phrases; nothing where nothing does. */
export const symptomsOf = async (world: World, service: string): Promise<readonly string[]> => {
  const pods = (await sickPods(world)).filter((pod) => pod.service === service)
  const calls = (await troubledCalls(world)).filter(({ from, to }) => from === service || to === service)
  return [
    ...pods.map((pod) => `pod ${pod.name} is not well: ${pod.waiting ?? pod.unscheduled ?? pod.phase}`),
    ...calls.slice(0, 3).map(describeCall),
  ]
}
