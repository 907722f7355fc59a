/** Finds the volume that satisfies a claim. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { matchesNodeSelector, nodes, persistentVolumes, SELECTED_NODE } from '#platform/kube/kinds'
import { compareQuantities, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

export type Claim = Stored<PersistentVolumeClaim>
export type Volume = Stored<PersistentVolume>

export const classOf = ({ spec }: Claim | Volume): string => spec.storageClassName ?? ''
export const sizeOf = ({ spec }: Volume): string => spec.capacity?.storage ?? '0'
const requestedSize = ({ spec }: Claim): string => spec.resources?.requests?.storage ?? '0'

/** Reports whether the volume is reserved for this claim, and not for an earlier one of the same name. */
export const isReservedFor = ({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean =>
  claimRef?.name === metadata.name &&
  claimRef.namespace === metadata.namespace &&
  ((claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid)

/** Returns why the volume cannot satisfy the claim, or undefined if it can. */
export const findMismatch = (volume: Volume, claim: Claim): string | undefined => {
  if (compareQuantities(sizeOf(volume), requestedSize(claim)) < 0) return 'requested PV is too small'
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match'
  if (volume.spec.volumeMode !== claim.spec.volumeMode) return 'incompatible volumeMode'
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode'
}

const hasModes = (volume: Volume, claim: Claim): boolean =>
  (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode) === true)

const isReachableFrom = (volume: Volume, node: Stored<Node> | undefined): boolean =>
  node === undefined || matchesNodeSelector(volume.spec.nodeAffinity?.required, node)

/** Returns the volume reserved for the claim, or, unless the claim must wait for its node, the smallest that fits. */
export const matchVolume = (client: Client, claim: Claim, waits: boolean): Volume | undefined => {
  const all = client.list(persistentVolumes)
  const fitsSize = (volume: Volume): boolean => compareQuantities(sizeOf(volume), requestedSize(claim)) >= 0
  const reserved = all.find((volume) => isReservedFor(volume, claim) && fitsSize(volume))
  if (reserved !== undefined || waits) return reserved
  const node = client.get(nodes, '', claim.metadata.annotations?.[SELECTED_NODE] ?? '')
  const selects = claim.spec.selector === undefined ? undefined : toLabelMatcher(claim.spec.selector)
  return all
    .filter(
      (volume) =>
        volume.spec.claimRef === undefined &&
        volume.status.phase === 'Available' &&
        volume.metadata.deletionTimestamp === undefined &&
        findMismatch(volume, claim) === undefined &&
        (selects === undefined || selects(volume.metadata.labels)) &&
        isReachableFrom(volume, node),
    )
    .sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))[0]
}
