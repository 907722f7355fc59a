/** What the survey does to the pods of a service: makes their answers late, or takes them all away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { injectChaos, removeChaos, until, workloadRef } from '../../src/fault-parts/index.ts'
import type { ApiObject, KubeApi, SystemView } from '../../src/spec/index.ts'

const LABORATORY = 'remedium-laboratory'
const DELAY = 'slow-answers'

export interface Trouble {
  /** Every packet of all its pods leaves a second late; the function takes it back. */
  slowDown(service: string): Promise<() => Promise<void>>
  /** No pod of it is left; a reset brings them back. */
  takeDown(service: string): Promise<void>
}

/** For one service: a reset takes the laboratory away too. */
export const createTrouble = async (api: KubeApi, system: SystemView): Promise<Trouble> => {
  const context = {
    api,
    system,
    laboratory: LABORATORY,
    signal: new AbortController().signal,
    sleep: (ms: number): Promise<void> => sleep(ms),
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
      await injectChaos(context, 'NetworkChaos', DELAY, {
        action: 'delay',
        ...podsOf(service),
        delay: { latency: '1000ms' },
        direction: 'to',
      })
      return () => removeChaos(context, 'NetworkChaos', DELAY)
    },
    async takeDown(service) {
      const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
      const list = async (): Promise<readonly ApiObject[]> =>
        (await api.list(pods, { labelSelector: `app=${service}` })).items
      await api.scale(workloadRef(system, service), 0)
      const marked = async (): Promise<boolean> =>
        (await list()).every(({ metadata }) => metadata.deletionTimestamp !== undefined)
      await until(context, `the pods of ${service} are on their way out`, marked)
      // Some programs take no notice of being asked, and would have half a minute.
      for (const { metadata } of await list())
        await api.delete({ ...pods, name: metadata.name }, { gracePeriodSeconds: 0 }).catch(() => {})
      await until(context, `the pods of ${service} are gone`, async () => (await list()).length === 0)
    },
  }
}
