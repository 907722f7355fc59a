/** Writes the phases of claims and volumes, and both sides of a binding. */
import { defined } from '#kit'
import { persistentVolumeClaims, persistentVolumes } from '#platform/kube/kinds'
import { toTime } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { ControllerContext } from '../../define-controller.ts'
import type { Claim, Volume } from './match-volume.ts'

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'

/** Sets the phase; returns whether it changed. */
export const setClaimPhase = (client: Client, claim: Claim, phase: 'Pending' | 'Lost'): boolean => {
  if (claim.status.phase === phase) return false
  const { capacity: _, accessModes: __, ...status } = claim.status
  client.updateStatus(persistentVolumeClaims, { ...claim, status: { ...status, phase } })
  return true
}

/** Sets the phase; returns whether it changed. */
export const setVolumePhase = (
  { client, clock }: ControllerContext,
  volume: Volume,
  phase: 'Available' | 'Bound' | 'Released' | 'Failed',
  message?: string,
): boolean => {
  if (volume.status.phase === phase) return false
  const status = {
    phase,
    ...defined({ message }),
    lastPhaseTransitionTime: toTime(clock.now()),
  }
  client.updateStatus(persistentVolumes, { ...volume, status })
  return true
}

const withAnnotation = <T extends Claim | Volume>(object: T, key: string): T => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: 'yes' } },
})

export const referenceTo = ({ metadata }: Claim): NonNullable<Volume['spec']['claimRef']> => ({
  kind: 'PersistentVolumeClaim',
  ...defined({ namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid,
  apiVersion: 'v1',
  resourceVersion: metadata.resourceVersion,
})

const bindVolume = (context: ControllerContext, volume: Volume, claim: Claim): Volume => {
  let bound = volume
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
    const reserved = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } }
    // A reservation by a user outlives the binding.
    const draft =
      volume.spec.claimRef === undefined ? withAnnotation(reserved, BOUND_BY_CONTROLLER) : reserved
    bound = context.client.update(persistentVolumes, draft)
  }
  setVolumePhase(context, bound, 'Bound')
  return bound
}

const bindClaim = (client: Client, claim: Claim, volume: Volume): void => {
  let bound = claim
  if (claim.spec.volumeName !== volume.metadata.name) {
    const named = { ...claim, spec: { ...claim.spec, volumeName: volume.metadata.name } }
    bound = withAnnotation(named, BOUND_BY_CONTROLLER)
  }
  if (bound.metadata.annotations?.[BIND_COMPLETED] === undefined)
    bound = withAnnotation(bound, BIND_COMPLETED)
  if (bound !== claim) bound = client.update(persistentVolumeClaims, bound)
  const { accessModes, capacity } = volume.spec
  const boundCapacity = bound.status.phase === 'Bound' ? bound.status.capacity : undefined
  client.updateStatus(persistentVolumeClaims, {
    ...bound,
    status: {
      ...bound.status,
      phase: 'Bound',
      ...defined({ accessModes, capacity: boundCapacity ?? capacity }),
    },
  })
}

/** Binds the volume and the claim to each other. Idempotent. */
export const bind = (context: ControllerContext, volume: Volume, claim: Claim): void => {
  bindClaim(context.client, claim, bindVolume(context, volume, claim))
}

/** Unbinds the volume from a claim that chose another one. Keeps a reservation by a user. */
export const unbind = (context: ControllerContext, volume: Volume): void => {
  const { claimRef, ...spec } = volume.spec
  const { [BOUND_BY_CONTROLLER]: byController, ...annotations } = volume.metadata.annotations ?? {}
  const { uid: _, resourceVersion: __, ...reservation } = claimRef ?? {}
  const unbound = context.client.update(persistentVolumes, {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: byController === undefined ? { ...spec, claimRef: reservation } : spec,
  })
  setVolumePhase(context, unbound, 'Available')
}
