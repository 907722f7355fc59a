/** Scales a service to zero while work is done. */
import type { ApiObject, FaultContext } from '#spec'
import { waitUntil, workloadRef } from './edit-workload.ts'

/** All pods are gone when `work` is called. Scales back up before it resolves, without waiting for the pods. */
export const whileScaledToZero = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  work: () => Promise<void>,
): Promise<void> => {
  const { api, system } = context
  const ref = workloadRef(system, service)
  const { replicas } = system.workloadOf(service)
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
  const listPods = async (): Promise<readonly ApiObject[]> =>
    (await api.list(pods, { labelSelector: `app=${service}` })).items
  await api.scale(ref, 0)
  for (const { metadata } of await listPods())
    await api.delete({ ...pods, name: metadata.name }, { gracePeriodSeconds: 1 }).catch(() => {})
  await waitUntil(context, `the pods of ${service} are gone`, async () => (await listPods()).length === 0)
  await work()
  await api.scale(ref, replicas)
}
