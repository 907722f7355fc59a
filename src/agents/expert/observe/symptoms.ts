/** Who suffers: services whose pods do not serve, or whose calls fail or take long. */
import type { PodView } from './pods.ts'
import { type Call, describeCall, isTroubled } from './traffic.ts'
import type { World } from './world.ts'

/** Pods that do not serve though they should. */
export const sickPods = async (world: World): Promise<readonly PodView[]> =>
  (await world.pods()).filter(({ ready, waiting }) => !ready || waiting !== undefined)

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
