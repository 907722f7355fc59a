/** Annotations of a claim that limit its volume; the laboratory acts as the storage driver. */
import { type ApiObject, type FaultContext, type ObjectRef, type RepairContext, viewAs } from '#spec'

/** The key of an annotation that limits a volume. */
export type ClaimLimitKey = `${string}/${string}`

const claimRef = ({ system, target }: Pick<FaultContext, 'system' | 'target'>): ObjectRef => ({
  apiVersion: 'v1',
  plural: 'persistentvolumeclaims',
  namespace: system.namespace,
  name: String(target.claim),
})

/** Whether the claim is one of the volumes of the pod. */
export const mountsClaim = (pod: ApiObject, claim: string): boolean =>
  viewAs('Pod', pod).spec?.volumes?.some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim,
  ) === true

/** Removes the annotation if the value is null. */
export const setClaimLimit = async (
  context: FaultContext | RepairContext,
  key: ClaimLimitKey,
  value: string | null,
): Promise<void> => {
  await context.api.patch(claimRef(context), 'merge', { metadata: { annotations: { [key]: value } } })
}

const readLimit = (claim: ApiObject, key: ClaimLimitKey): string | undefined =>
  viewAs('PersistentVolumeClaim', claim).metadata?.annotations?.[key]

export const readClaimLimit = async (
  context: FaultContext,
  key: ClaimLimitKey,
): Promise<string | undefined> => readLimit(await context.api.get(claimRef(context)), key)

/** Calls back once when the annotation no longer limits the volume, or the claim is deleted. */
export const onClaimReleased = async (
  context: FaultContext,
  key: ClaimLimitKey,
  isFree: (limit: string | undefined) => boolean,
  onRelease: () => Promise<void>,
): Promise<void> => {
  const { api, signal } = context
  const { name, ...claims } = claimRef(context)
  let isReleased = false
  const stopWatch = await api.watch(
    claims,
    { fieldSelector: `metadata.name=${name}` },
    ({ type, object }) => {
      if (isReleased || signal.aborted || object.metadata.name !== name) return
      if (type !== 'DELETED' && !isFree(readLimit(object, key))) return
      isReleased = true
      // Fails if the whole cluster is deleted in the meantime.
      onRelease().catch(() => {})
    },
    () => {},
  )
  signal.addEventListener('abort', () => stopWatch(), { once: true })
  if (signal.aborted) stopWatch()
}
