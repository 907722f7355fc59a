/** Finds the volume claims of a pod, and the volumes that can satisfy unbound claims on a node. */
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.d.ts'
import { memberOf } from '#kit'
import {
  claimNames,
  matchesNodeSelector,
  NO_PROVISIONER,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '#platform/kube/kinds'
import { compareQuantities, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { PodRefusal } from './filter.ts'

type Claim = Stored<PersistentVolumeClaim>
type Volume = Stored<PersistentVolume>

export interface PodClaims {
  bound: readonly Claim[]
  /** Claims that are bound once the pod has a node. */
  waiting: readonly Claim[]
}

export const isBound = ({ spec, metadata }: Claim): boolean =>
  spec.volumeName !== undefined &&
  spec.volumeName !== '' &&
  metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined

const waitsForConsumer = (client: Client, { spec }: Claim): boolean =>
  client.get(storageClasses, '', spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer'

/** Throws PodRefusal if a claim prevents scheduling on all nodes. */
export const listClaims = (client: Client, pod: Stored<Pod>): PodClaims | undefined => {
  const names = claimNames(pod)
  if (names.length === 0) return undefined
  const bound: Claim[] = []
  const waiting: Claim[] = []
  for (const name of names) {
    const claim = client.get(persistentVolumeClaims, pod.metadata.namespace!, name)
    if (claim === undefined) throw new PodRefusal(`persistentvolumeclaim "${name}" not found`)
    if (claim.metadata.deletionTimestamp !== undefined)
      throw new PodRefusal(`persistentvolumeclaim "${name}" is being deleted`)
    if (isBound(claim)) bound.push(claim)
    else if (waitsForConsumer(client, claim)) waiting.push(claim)
    else throw new PodRefusal('pod has unbound immediate PersistentVolumeClaims')
  }
  return { bound, waiting }
}

const fits = (volume: Volume, claim: Claim, node: Stored<Node>): boolean => {
  const { spec, status } = volume
  const requested = claim.spec.resources?.requests?.storage ?? '0'
  return (
    (status.phase === 'Available' || spec.claimRef?.uid === claim.metadata.uid) &&
    (spec.claimRef === undefined || spec.claimRef.uid === claim.metadata.uid) &&
    (spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
    (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
    compareQuantities(spec.capacity?.storage ?? '0', requested) >= 0 &&
    (claim.spec.selector === undefined || toLabelMatcher(claim.spec.selector)(volume.metadata.labels)) &&
    matchesNodeSelector(spec.nodeAffinity?.required, node)
  )
}

/** Returns the smallest volume that satisfies the claim on this node. */
export const findVolume = (client: Client, claim: Claim, node: Stored<Node>): Volume | undefined =>
  client
    .list(persistentVolumes)
    .filter((volume) => fits(volume, claim, node))
    .sort((a, b) => compareQuantities(a.spec.capacity?.storage ?? '0', b.spec.capacity?.storage ?? '0'))[0]

/** Reports whether a volume for the claim can be provisioned on this node. */
export const canProvision = (client: Client, { spec }: Claim, node: Stored<Node>): boolean => {
  const storageClass = client.get(storageClasses, '', spec.storageClassName ?? '')
  if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER) return false
  const { allowedTopologies } = storageClass
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return true
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) =>
      values.includes(memberOf(node.metadata.labels, key) ?? ''),
    ),
  )
}
