/** The volume claims of a pod, and how those not yet bound can be satisfied on a node. */
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.d.ts'
import { memberOf } from '../../kit/index.ts'
import {
  matchesNodeSelector,
  NO_PROVISIONER,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '../kinds/index.ts'
import { compareQuantities, matcherOf, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import { PodRefusal } from './filter.ts'

type Claim = Stored<PersistentVolumeClaim>
type Volume = Stored<PersistentVolume>

export interface PodClaims {
  bound: readonly Claim[]
  /** Claims that wait for the pod's node to be chosen. */
  waiting: readonly Claim[]
}

const claimNames = ({ metadata, spec }: Stored<Pod>): string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })

export const isBound = ({ spec, metadata }: Claim): boolean =>
  spec.volumeName !== undefined &&
  spec.volumeName !== '' &&
  metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined

const waitsForConsumer = (client: Client, { spec }: Claim): boolean =>
  client.get(storageClasses, '', spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer'

/** Throws PodRefusal where no node can help. */
export const podClaims = (client: Client, pod: Stored<Pod>): PodClaims | undefined => {
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
  const wanted = claim.spec.resources?.requests?.storage ?? '0'
  return (
    (status.phase === 'Available' || spec.claimRef?.uid === claim.metadata.uid) &&
    (spec.claimRef === undefined || spec.claimRef.uid === claim.metadata.uid) &&
    (spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
    (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
    compareQuantities(spec.capacity?.storage ?? '0', wanted) >= 0 &&
    (claim.spec.selector === undefined || matcherOf(claim.spec.selector)(volume.metadata.labels)) &&
    matchesNodeSelector(spec.nodeAffinity?.required, node)
  )
}

/** The smallest volume that satisfies the claim on this node. */
export const volumeFor = (client: Client, claim: Claim, node: Stored<Node>): Volume | undefined =>
  client
    .list(persistentVolumes)
    .filter((volume) => fits(volume, claim, node))
    .sort((a, b) => compareQuantities(a.spec.capacity?.storage ?? '0', b.spec.capacity?.storage ?? '0'))[0]

/** Whether a volume for the claim can be made on this node. */
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
