/** Edits a workload and waits until no pod of the old template is left. */
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  type FaultContext,
  type ObjectRef,
  podTemplateOf,
  type SystemView,
  viewAs,
} from '#spec'
import { ignoreMissing } from '../ignore-missing.ts'
import { podsOf } from '../pods/pods-of.ts'

const TIMEOUT_MS = 15_000
const POLL_MS = 50

export const workloadRef = (system: SystemView, service: string): ObjectRef => {
  const { kind, name } = system.workloadOf(service)
  const plural = kind === 'Deployment' ? 'deployments' : 'statefulsets'
  return { apiVersion: 'apps/v1', plural, namespace: system.namespace, name }
}

/**
 * Polls until the condition holds. `message` completes "timed out waiting until ...". Throws a plain
 * error, so that the solver is blamed if its action caused the timeout.
 */
export const waitUntil = async (
  { sleep, signal }: Pick<FaultContext, 'sleep' | 'signal'>,
  message: string,
  condition: () => Promise<boolean>,
): Promise<void> => {
  for (let waited = 0; !(await condition()); waited += POLL_MS) {
    signal.throwIfAborted()
    if (waited >= TIMEOUT_MS) throw new Error(`timed out waiting until ${message}`)
    await sleep(POLL_MS)
  }
}

export const uidsOf = (pods: readonly ApiObject[]): Set<unknown> =>
  new Set(pods.map(({ metadata }) => metadata.uid))

/**
 * Deletes these pods and resolves when they are gone. The grace period is one second, because a Service routes to terminating pods if
 * it has no others.
 */
export const deletePods = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  uids: ReadonlySet<unknown>,
): Promise<void> => {
  const { api, system } = context
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
  const listRemaining = async (): Promise<readonly ApiObject[]> =>
    (await api.list(pods, { labelSelector: `app=${service}` })).items.filter(({ metadata }) =>
      uids.has(metadata.uid),
    )
  const deletePod = (name: string): Promise<void> =>
    ignoreMissing(api.delete({ ...pods, name }, { gracePeriodSeconds: 1 }))
  await Promise.all((await listRemaining()).map(({ metadata }) => deletePod(metadata.name)))
  await waitUntil(
    context,
    `the old pods of ${service} are gone`,
    async () => (await listRemaining()).length === 0,
  )
}

/**
 * Applies a strategic patch to the spec of the workload and waits until its old pods are gone. A rolling
 * update would keep them until the new ones are ready, so that users would not be affected. A Deployment
 * therefore gets the strategy `Recreate` until they are gone.
 */
export const editWorkload = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  spec: object,
): Promise<void> => {
  const { api, system } = context
  const ref = workloadRef(system, service)
  const oldUids = uidsOf(await podsOf(context, service))
  const isDeployment = ref.plural === 'deployments'
  const workload = await api.get(ref)
  const previousStrategy = isDeployment ? viewAs('Deployment', workload).spec?.strategy : undefined
  // If the template does not change, no pod is replaced.
  const planned = await api.patch(ref, 'strategic', { spec }, { dryRun: true })
  if (isDeepStrictEqual(podTemplateOf(workload), podTemplateOf(planned))) return
  const recreate = isDeployment ? { strategy: { $retainKeys: ['type'], type: 'Recreate' } } : {}
  await api.patch(ref, 'strategic', { spec: { ...recreate, ...spec } })
  await waitUntil(context, `the old pods of ${service} are terminating`, async () =>
    (await podsOf(context, service)).every(({ metadata }) => !oldUids.has(metadata.uid)),
  )
  await deletePods(context, service, oldUids)
  if (previousStrategy !== undefined) await api.patch(ref, 'merge', { spec: { strategy: previousStrategy } })
}
