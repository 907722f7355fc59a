/** Objects of Chaos Mesh, in the laboratory's namespace. */
import type { ApiObject, FaultContext, ObjectRef } from '../spec/index.ts'
import { until } from './edit-workload.ts'
import { isMissing } from './ignore-missing.ts'

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

/** Selects one pod by its name. */
export const onPod = (namespace: string, pod: string): object => ({
  mode: 'one',
  selector: { pods: { [namespace]: [pod] } },
})

/** Whether it has put in force all that it asks for. */
export const isInjected = ({ status }: ApiObject): boolean => {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'AllInjected' && status === 'True')
}

export interface ChaosWish {
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Whether there is nothing left that it could act on. */
  isHopeless?(): Promise<boolean>
}

/** Makes the object and resolves with it when it does what it says, or cannot any more. */
export const injectChaos = async (
  context: Pick<FaultContext, 'api' | 'laboratory' | 'sleep' | 'signal'>,
  kind: ChaosKind,
  name: string,
  spec: object,
  { labels, isHopeless = async () => false }: ChaosWish = {},
): Promise<ApiObject> => {
  const { api, laboratory } = context
  const { apiVersion, plural } = chaosRef(laboratory, kind, name)
  const made = await api.create(
    { apiVersion, plural, namespace: laboratory },
    {
      apiVersion,
      kind,
      metadata: { name, namespace: laboratory, ...(labels === undefined ? {} : { labels }) },
      spec,
    },
  )
  const isOver = async (): Promise<boolean> =>
    isInjected(await api.get(chaosRef(laboratory, kind, name))) || (await isHopeless())
  await until(context, `${kind} ${name} is in force`, isOver)
  return made
}

/** Deletes the object and resolves when it is gone; it may be gone already. */
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
        if (isMissing(error)) return true
        throw error
      },
    )
  if (await isGone(context.api.delete(ref))) return
  await until(context, `${kind} ${name} is gone`, () => isGone(context.api.get(ref)))
}
