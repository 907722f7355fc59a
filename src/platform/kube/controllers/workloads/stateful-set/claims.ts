/** Creates the PersistentVolumeClaims of a StatefulSet's pods and sets their owners. */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import { persistentVolumeClaims } from '#platform/kube/kinds'
import { controlledBy, type OwnerReference, type Stored } from '#platform/kube/meta'
import type { ControllerContext } from '../../define-controller.ts'
import { messageOf } from '../../message-of.ts'
import { isTerminating } from '../replicas/pod-availability.ts'
import { claimsFor, isInRange, podName } from './identity.ts'

/** Returns the claims of a pod; undefined for each that does not exist. */
const listClaims = (
  { client }: ControllerContext,
  set: Stored<StatefulSet>,
  ordinal: number,
): (Stored<PersistentVolumeClaim> | undefined)[] =>
  claimsFor(set, ordinal).map(({ metadata }) =>
    client.get(persistentVolumeClaims, set.metadata.namespace ?? '', metadata?.name ?? ''),
  )

/** Reports whether a claim of the pod is terminating; the pod must then wait for the new claim. */
export const hasTerminatingClaim = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  ordinal: number,
): boolean => listClaims(context, set, ordinal).some((claim) => claim !== undefined && isTerminating(claim))

/** Creates the missing claims of the pod. */
export const ensureClaims = (context: ControllerContext, set: Stored<StatefulSet>, ordinal: number): void => {
  const { client, events } = context
  const existing = listClaims(context, set, ordinal)
  for (const [index, draft] of claimsFor(set, ordinal).entries()) {
    if (existing[index] !== undefined) continue
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

/** Returns the owner whose deletion deletes the claim: the pod once it is out of range, the set, or none. */
const ownerOf = (set: Stored<StatefulSet>, pod: Stored<Pod>, ordinal: number): OwnerReference | undefined => {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === 'Delete' && !isInRange(set, ordinal)) return controlledBy(pod)
  return whenDeleted === 'Delete' ? controlledBy(set) : undefined
}

/** Sets the owners of the pod's claims according to the retention policy. */
export const updateClaimOwners = (
  context: ControllerContext,
  set: Stored<StatefulSet>,
  pod: Stored<Pod>,
  ordinal: number,
): void => {
  if ((set.spec.volumeClaimTemplates ?? []).length === 0) return
  const owner = ownerOf(set, pod, ordinal)
  for (const claim of listClaims(context, set, ordinal)) {
    if (claim === undefined || isTerminating(claim)) continue
    const { ownerReferences = [], ...metadata } = claim.metadata
    const others = ownerReferences.filter(
      (reference) =>
        reference.uid !== set.metadata.uid &&
        !(reference.kind === 'Pod' && reference.name === pod.metadata.name),
    )
    const desired = owner === undefined ? others : [...others, owner]
    if (deepEqual(desired, ownerReferences)) continue
    context.client.update(persistentVolumeClaims, {
      ...claim,
      metadata: desired.length === 0 ? metadata : { ...metadata, ownerReferences: desired },
    })
  }
}
