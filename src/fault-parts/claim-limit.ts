/** Notes on a claim by which a driver of storage holds its volume to so much; the laboratory is that driver. */
import type { ApiObject, FaultContext, HackContext, ObjectRef } from '../spec/index.ts'

/** The key of the note. */
export type ClaimLimit = `${string}/${string}`

const claimRef = ({ system, target }: Pick<FaultContext, 'system' | 'target'>): ObjectRef => ({
  apiVersion: 'v1',
  plural: 'persistentvolumeclaims',
  namespace: system.namespace,
  name: String(target.claim),
})

/** Whether the pod has the claim among its volumes. */
export const mountsClaim = ({ spec }: ApiObject, claim: string): boolean => {
  const { volumes = [] } = spec as { volumes?: readonly { persistentVolumeClaim?: { claimName?: string } }[] }
  return volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim)
}

/** Takes the note away where there is no value. */
export const setClaimLimit = async (
  context: FaultContext | HackContext,
  key: ClaimLimit,
  value: string | null,
): Promise<void> => {
  await context.api.patch(claimRef(context), 'merge', { metadata: { annotations: { [key]: value } } })
}

const limitOn = ({ metadata }: ApiObject, key: ClaimLimit): string | undefined =>
  (metadata.annotations as Readonly<Record<string, string>> | undefined)?.[key]

export const claimLimitIn = async (context: FaultContext, key: ClaimLimit): Promise<string | undefined> =>
  limitOn(await context.api.get(claimRef(context)), key)

/** Calls back once when somebody has changed the note so that the volume is free again, or the claim is gone. */
export const whenClaimIsFree = async (
  context: FaultContext,
  key: ClaimLimit,
  isFree: (limit: string | undefined) => boolean,
  free: () => Promise<void>,
): Promise<void> => {
  const { api, signal } = context
  const { name, ...claims } = claimRef(context)
  let isOver = false
  const end = await api.watch(
    claims,
    { fieldSelector: `metadata.name=${name}` },
    ({ type, object }) => {
      if (isOver || signal.aborted || object.metadata.name !== name) return
      if (type !== 'DELETED' && !isFree(limitOn(object, key))) return
      isOver = true
      // The whole cluster may be going meanwhile.
      free().catch(() => {})
    },
    () => {},
  )
  signal.addEventListener('abort', () => end(), { once: true })
  if (signal.aborted) end()
}
