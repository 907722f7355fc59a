/** Creates and deletes Chaos Mesh objects in the laboratory's namespace. */
import { defined } from '#kit'
import { type ApiObject, type FaultContext, hasCondition, isNotFound, type ObjectRef } from '#spec'
import { waitUntil } from '../workloads/edit-workload.ts'

const PLURALS = {
  StressChaos: 'stresschaos',
  NetworkChaos: 'networkchaos',
  IOChaos: 'iochaos',
  PodChaos: 'podchaos',
  DNSChaos: 'dnschaos',
  TimeChaos: 'timechaos',
} as const
export type ChaosKind = keyof typeof PLURALS

export const chaosRef = (laboratory: string, kind: ChaosKind, name: string): ObjectRef => ({
  apiVersion: 'chaos-mesh.org/v1alpha1',
  plural: PLURALS[kind],
  namespace: laboratory,
  name,
})

/** The part of a spec that selects one pod by name. */
export const onPod = (namespace: string, pod: string): object => ({
  mode: 'one',
  selector: { pods: { [namespace]: [pod] } },
})

/** Whether everything that the object declares is injected. */
export const isInjected = (chaos: ApiObject): boolean => hasCondition(chaos, 'AllInjected')

export interface ChaosDeclaration {
  readonly kind: ChaosKind
  readonly name: string
  readonly spec: object
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Whether no pod is left that the object could act on. */
  hasNoTarget?(): Promise<boolean>
}

/** Creates the object; resolves to it when it is injected, or no longer has a target. */
export const injectChaos = async (
  context: Pick<FaultContext, 'api' | 'laboratory' | 'sleep' | 'signal'>,
  { kind, name, spec, labels, hasNoTarget = async () => false }: ChaosDeclaration,
): Promise<ApiObject> => {
  const { api, laboratory } = context
  const { apiVersion, plural } = chaosRef(laboratory, kind, name)
  const created = await api.create(
    { apiVersion, plural, namespace: laboratory },
    {
      apiVersion,
      kind,
      metadata: { name, namespace: laboratory, ...defined({ labels }) },
      spec,
    },
  )
  const isDone = async (): Promise<boolean> =>
    isInjected(await api.get(chaosRef(laboratory, kind, name))) || (await hasNoTarget())
  await waitUntil(context, `${kind} ${name} is injected`, isDone)
  return created
}

/** Deletes the object and resolves when it is gone. */
export const removeChaos = async (
  context: Pick<FaultContext, 'api' | 'laboratory' | 'sleep' | 'signal'>,
  kind: ChaosKind,
  name: string,
): Promise<void> => {
  const ref = chaosRef(context.laboratory, kind, name)
  const isGone = (action: Promise<unknown>): Promise<boolean> =>
    action.then(
      () => false,
      (error) => {
        if (isNotFound(error)) return true
        throw error
      },
    )
  if (await isGone(context.api.delete(ref))) return
  await waitUntil(context, `${kind} ${name} is gone`, () => isGone(context.api.get(ref)))
}
