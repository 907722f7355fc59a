/** The PersistentVolumeClaims of a StatefulSet's pods: making them, and saying with whom they go. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../../kit/index.ts'
import { persistentVolumeClaims } from '../../kinds/index.ts'
import { controlledBy, type OwnerReference, type Stored } from '../../meta/index.ts'
import type { ControllerContext } from '../define-controller.ts'
import { messageOf } from '../message-of.ts'
import { isTerminating } from '../workload/pod-availability.ts'
import { claimsFor, isInRange, podName } from './identity.ts'

const existing = (
  { client }: ControllerContext,
  set: Stored<StatefulSet>,
  ordinal: number,
): (Stored<PersistentVolumeClaim> | undefined)[] =>
  claimsFor(set, ordinal).map(({ metadata }) =>
    client.get(persistentVolumeClaims, set.metadata.namespace ?? '', metadata?.name ?? ''),
  )

/** Whether a claim of the pod is going away, so that the pod must wait for its successor. */
export const claimsAreStale = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  ordinal: number,
): boolean => existing(context, set, ordinal).some((claim) => claim !== undefined && isTerminating(claim))

/** Makes those claims of the pod that are not there. */
export const ensureClaims = (context: ControllerContext, set: Stored<StatefulSet>, ordinal: number): void => {
  const { client, events } = context
  const known = existing(context, set, ordinal)
  for (const [index, draft] of claimsFor(set, ordinal).entries()) {
    if (known[index] !== undefined) continue
    const subject = `Claim ${draft.metadata?.name} Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`
    try {
      client.create(persistentVolumeClaims, draft)
      events.record(set, 'Normal', 'SuccessfulCreate', `create ${subject} success`)
    } catch (error) {
      events.record(set, 'Warning', 'FailedCreate', `create ${subject} failed error: ${messageOf(error)}`)
      throw error
    }
  }
}

/** Who a claim goes with: the set when that is deleted, the pod once it is scaled away, or nobody. */
const ownerOf = (set: Stored<StatefulSet>, pod: Stored<Pod>, ordinal: number): OwnerReference | undefined => {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === 'Delete' && !isInRange(set, ordinal)) return controlledBy(pod)
  return whenDeleted === 'Delete' ? controlledBy(set) : undefined
}

/** Brings the owners of the pod's claims in line with the retention policy. */
export const settleClaimOwners = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
  ordinal: number,
): void => {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return
  const owner = ownerOf(set, pod, ordinal)
  for (const claim of existing(context, set, ordinal)) {
    if (claim === undefined || isTerminating(claim)) continue
    const { ownerReferences = [], ...metadata } = claim.metadata
    const others = ownerReferences.filter(
      (reference) =>
        reference.uid !== set.metadata.uid &&
        !(reference.kind === 'Pod' && reference.name === pod.metadata.name),
    )
    const wanted = owner === undefined ? others : [...others, owner]
    if (deepEqual(wanted, ownerReferences)) continue
    context.client.update(persistentVolumeClaims, {
      ...claim,
      metadata: wanted.length === 0 ? metadata : { ...metadata, ownerReferences: wanted },
    })
  }
}
