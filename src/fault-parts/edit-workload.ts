/** Edits a workload as a careless release would: afterwards no pod of the old template serves any more. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, FaultContext, ObjectRef, SystemView } from '../spec/index.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { podsOf } from './pods.ts'

const PATIENCE_MS = 15_000
const LOOK_AGAIN_MS = 50

export const workloadRef = (system: SystemView, service: string): ObjectRef => {
  const { kind, name } = system.workloadOf(service)
  const plural = kind === 'Deployment' ? 'deployments' : 'statefulsets'
  return { apiVersion: 'apps/v1', plural, namespace: system.namespace, name }
}

/** Until the question is answered with yes; the message says what was waited for in vain. */
export const until = async (
  { sleep, signal }: Pick<FaultContext, 'sleep' | 'signal'>,
  message: string,
  ask: () => Promise<boolean>,
): Promise<void> => {
  for (let waited = 0; !(await ask()); waited += LOOK_AGAIN_MS) {
    signal.throwIfAborted()
    if (waited >= PATIENCE_MS) throw new Error(`waited in vain until ${message}`)
    await sleep(LOOK_AGAIN_MS)
  }
}

const templateOf = ({ spec }: ApiObject): unknown => (spec as { template?: unknown }).template

export const uidsOf = (pods: readonly ApiObject[]): Set<unknown> =>
  new Set(pods.map(({ metadata }) => metadata.uid))

/**
 * Resolves when these pods are gone, which are on their way out or are sent there. They get a second: a pod that has longer serves on,
 * because where all pods of a Service are on their way out they are asked nevertheless.
 */
export const endPods = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  uids: ReadonlySet<unknown>,
): Promise<void> => {
  const { api, system } = context
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
  const left = async (): Promise<readonly ApiObject[]> =>
    (await api.list(pods, { labelSelector: `app=${service}` })).items.filter(({ metadata }) =>
      uids.has(metadata.uid),
    )
  const end = (name: string): Promise<void> =>
    ignoreMissing(api.delete({ ...pods, name }, { gracePeriodSeconds: 1 }))
  await Promise.all((await left()).map(({ metadata }) => end(metadata.name)))
  await until(context, `the old pods of ${service} are gone`, async () => (await left()).length === 0)
}

/**
 * Patches the pod template of the workload strategically and waits until its old pods are gone. A rolling update would keep them where the new
 * ones do not become ready, and users would feel nothing: so a Deployment is told to recreate until they are gone, and
 * then gets its own strategy back.
 */
export const editWorkload = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
  spec: object,
): Promise<void> => {
  const { api, system } = context
  const ref = workloadRef(system, service)
  const old = uidsOf(await podsOf(context, service))
  const isDeployment = ref.plural === 'deployments'
  const found = await api.get(ref)
  const before = isDeployment ? (found.spec as { strategy?: object }).strategy : undefined
  // Where nothing would change, no pod would be replaced.
  const planned = await api.patch(ref, 'strategic', { spec }, { dryRun: true })
  if (isDeepStrictEqual(templateOf(found), templateOf(planned))) return
  const recreate = isDeployment ? { strategy: { $retainKeys: ['type'], type: 'Recreate' } } : {}
  await api.patch(ref, 'strategic', { spec: { ...recreate, ...spec } })
  await until(context, `the old pods of ${service} are to go`, async () =>
    (await podsOf(context, service)).every(({ metadata }) => !old.has(metadata.uid)),
  )
  await endPods(context, service, old)
  if (before !== undefined) await api.patch(ref, 'merge', { spec: { strategy: before } })
}
