/** Makes a service slow, or removes all of its pods. */
import { injectChaos, removeChaos, waitUntil, workloadRef } from '#exam/fault-parts'
import { type Clock, sleep } from '#kit'
import type { ApiObject, KubeApi, SystemView } from '#spec'

const LABORATORY = 'remedium-laboratory'
const DELAY_NAME = 'slow-answers'

export interface ServiceBreaker {
  /** Delays every packet that the pods send by a second; resolves to a function that reverts it. */
  slowDown(service: string): Promise<() => Promise<void>>
  /** Removes all pods; a reset restores them. */
  takeDown(service: string): Promise<void>
}

/** Must be created again after a reset, which also removes the namespace of the laboratory. */
export const createServiceBreaker = async (
  api: KubeApi,
  system: SystemView,
  clock: Clock,
): Promise<ServiceBreaker> => {
  const context = {
    api,
    system,
    laboratory: LABORATORY,
    signal: new AbortController().signal,
    sleep: (ms: number): Promise<void> => sleep(clock, ms),
  }
  await api
    .create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: LABORATORY } })
    .catch((error) => {
      if ((error as { code?: unknown }).code !== 409) throw error
    })
  const podsOf = (service: string): object => ({
    mode: 'all',
    selector: { namespaces: [system.namespace], labelSelectors: { app: service } },
  })
  return {
    async slowDown(service) {
      const spec = {
        action: 'delay',
        ...podsOf(service),
        delay: { latency: '1000ms' },
        direction: 'to',
      }
      await injectChaos(context, { kind: 'NetworkChaos', name: DELAY_NAME, spec })
      return () => removeChaos(context, 'NetworkChaos', DELAY_NAME)
    },
    async takeDown(service) {
      const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
      const listPods = async (): Promise<readonly ApiObject[]> =>
        (await api.list(pods, { labelSelector: `app=${service}` })).items
      await api.scale(workloadRef(system, service), 0)
      const areTerminating = async (): Promise<boolean> =>
        (await listPods()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)
      await waitUntil(context, `the pods of ${service} are being deleted`, areTerminating)
      // Some programs ignore SIGTERM, and would run until the grace period ends.
      for (const { metadata } of await listPods())
        await api.delete({ ...pods, name: metadata.name }, { gracePeriodSeconds: 0 }).catch(() => {})
      await waitUntil(context, `the pods of ${service} are gone`, async () => (await listPods()).length === 0)
    },
  }
}
