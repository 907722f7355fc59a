/** Binds a claim to a volume, or records an event that explains why it is not bound yet. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import {
  isDefaultStorageClass,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  SELECTED_NODE,
  storageClasses,
} from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { ControllerContext } from '../../define-controller.ts'
import { type Claim, classOf, findMismatch, isReservedFor, matchVolume } from './match-volume.ts'
import { BIND_COMPLETED, bind, setClaimPhase } from './phases.ts'
import { provision } from './provision.ts'

/** Reports whether binding must wait until a pod that uses the claim has a node. */
const waitsForConsumer = (client: Client, claim: Claim): boolean =>
  client.get(storageClasses, '', classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer' &&
  claim.metadata.annotations?.[SELECTED_NODE] === undefined

const usesClaim = (pod: Stored<Pod>, { metadata }: Claim): boolean =>
  pod.spec.volumes?.some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata.name,
  ) === true

const recordWaiting = ({ client, events }: ControllerContext, claim: Claim): void => {
  const consumers = client
    .list(pods, claim.metadata.namespace)
    .filter((pod) => usesClaim(pod, claim) && (pod.spec.nodeName ?? '') === '')
    .map(({ metadata }) => metadata.name)
  if (consumers.length === 0) {
    const message = 'waiting for first consumer to be created before binding'
    events.record(claim, 'Normal', 'WaitForFirstConsumer', message)
    return
  }
  const awaited = consumers.length === 1 ? `pod ${consumers[0]}` : `one of pods ${consumers.join(',')}`
  events.record(claim, 'Normal', 'WaitForPodScheduled', `waiting for ${awaited} to be scheduled`)
}

/** Assigns the default class to claims that were created before it existed. */
const withDefaultClass = (client: Client, claim: Claim): Claim => {
  if (claim.spec.storageClassName !== undefined) return claim
  const newest = client
    .list(storageClasses)
    .filter(isDefaultStorageClass)
    .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0]
  if (newest === undefined) return claim
  return client.update(persistentVolumeClaims, {
    ...claim,
    spec: { ...claim.spec, storageClassName: newest.metadata.name },
  })
}

const syncUnnamed = (context: ControllerContext, claim: Claim, directory: string): void => {
  const { client, events } = context
  const waits = waitsForConsumer(client, claim)
  const volume = matchVolume(client, claim, waits)
  if (volume !== undefined) {
    bind(context, volume, claim)
    return
  }
  if (waits) recordWaiting(context, claim)
  else if (classOf(claim) !== '') provision(context, claim, directory)
  else {
    const message = 'no persistent volumes available for this claim and no storage class is set'
    events.record(claim, 'Normal', 'FailedBinding', message)
  }
  setClaimPhase(client, claim, 'Pending')
}

/** Syncs a claim that names its volume. */
const syncNamed = (context: ControllerContext, claim: Claim, name: string): void => {
  const { client, events } = context
  const volume = client.get(persistentVolumes, '', name)
  if (volume === undefined) {
    setClaimPhase(client, claim, 'Pending')
    return
  }
  if (volume.spec.claimRef === undefined) {
    const problem = findMismatch(volume, claim)
    if (problem === undefined) {
      bind(context, volume, claim)
      return
    }
    const message = `Cannot bind to requested volume "${name}": ${problem}`
    events.record(claim, 'Warning', 'VolumeMismatch', message)
  } else if (isReservedFor(volume, claim)) {
    bind(context, volume, claim)
    return
  } else {
    const message = `volume "${name}" already bound to a different claim.`
    events.record(claim, 'Warning', 'FailedBinding', message)
  }
  setClaimPhase(client, claim, 'Pending')
}

const markLost = (
  { client, events }: ControllerContext,
  claim: Claim,
  reason: string,
  message: string,
): void => {
  if (setClaimPhase(client, claim, 'Lost')) events.record(claim, 'Warning', reason, message)
}

const syncBound = (context: ControllerContext, claim: Claim): void => {
  const name = claim.spec.volumeName ?? ''
  const volume = context.client.get(persistentVolumes, '', name)
  if (name === '') {
    const message = 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'
    markLost(context, claim, 'ClaimLost', message)
  } else if (volume === undefined) {
    const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
    markLost(context, claim, 'ClaimLost', message)
  } else if (volume.spec.claimRef === undefined || isReservedFor(volume, claim)) bind(context, volume, claim)
  else {
    const message = 'Two claims are bound to the same volume, this one is bound incorrectly'
    markLost(context, claim, 'ClaimMisbound', message)
  }
}

/** `directory` is the directory on the nodes for provisioned volumes. */
export const syncClaim = (context: ControllerContext, claim: Claim, directory: string): void => {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) {
    syncBound(context, claim)
    return
  }
  const name = claim.spec.volumeName ?? ''
  if (name !== '') syncNamed(context, claim, name)
  else syncUnnamed(context, withDefaultClass(context.client, claim), directory)
}
