/** Makes a service go and come back, with something done in between. */
import type { ApiObject, FaultContext } from '../spec/index.ts'
import { until, workloadRef } from './edit-workload.ts'

/** Its pods are all gone when `meanwhile` is called, and wanted again when this resolves. */
export const whileAway = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  meanwhile: () => Promise<void>,
): Promise<void> => {
  const { api, system } = context
  const ref = workloadRef(system, service)
  const { replicas } = system.workloadOf(service)
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
  const listed = async (): Promise<readonly ApiObject[]> =>
    (await api.list(pods, { labelSelector: `app=${service}` })).items
  await api.scale(ref, 0)
  for (const { metadata } of await listed())
    await api.delete({ ...pods, name: metadata.name }, { gracePeriodSeconds: 1 }).catch(() => {})
  await until(context, `the pods of ${service} are gone`, async () => (await listed()).length === 0)
  await meanwhile()
  await api.scale(ref, replicas)
}
