/**
 * In the manner of NodeRestriction, and in no real server: accounts that are marked so get by what they may change neither at
 * pods and traffic of other namespaces nor at the end of objects that they may not delete.
 */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Node, NodeSpec, Service, Taint } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { RESTRICTED_ACCOUNT } from '../../spec/index.ts'
import { nodes, persistentVolumeClaims, serviceAccounts, services, statefulSets } from '../kinds/index.ts'
import type { KubeObject, OwnerReference, Stored } from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../ports/index.ts'
import { refuse } from './refuse.ts'

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

const isRestricted = ({ user, client }: AdmissionRequest): boolean => {
  const [, namespace, name] = ACCOUNT.exec(user.username) ?? []
  if (namespace === undefined || name === undefined) return false
  const account = client.get(serviceAccounts, namespace, name)
  return account?.metadata.annotations?.[RESTRICTED_ACCOUNT] === 'true'
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] =>
  object?.metadata.ownerReferences ?? []

const expelling = (node: Stored<Node> | undefined): Taint[] =>
  (node?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

/** The garbage collector deletes what has lost its owners, whoever has named them. */
const restOf = (node: Stored<Node> | undefined): unknown => {
  const { unschedulable, taints, ...spec }: NodeSpec = node?.spec ?? {}
  const { ownerReferences = [], finalizers = [] } = node?.metadata ?? {}
  return [spec, ownerReferences, finalizers]
}

const changesNode = ({ object, old }: AdmissionRequest): string | undefined => {
  const [node, before] = [object as Stored<Node>, old as Stored<Node> | undefined]
  const known = expelling(before)
  const isKnown = (taint: Taint): boolean =>
    known.some(({ key, value = '' }) => key === taint.key && value === (taint.value ?? ''))
  if (!expelling(node).every(isKnown))
    return 'a taint with the effect NoExecute expels the pods of every namespace; cordon or drain the node instead'
  if (!deepEqual(restOf(node), restOf(before)))
    return 'of a node this account may change nothing but unschedulable, taints, labels and annotations'
  return undefined
}

const endsClaim = ({ object, old }: AdmissionRequest): string | undefined => {
  const before = ownersOf(old)
  return ownersOf(object).every((owner) => before.some((one) => deepEqual(one, owner)))
    ? undefined
    : 'this account may not delete claims, nor give them owners that they would go with'
}

const endsClaimsOfSet = ({ object, old }: AdmissionRequest): string | undefined => {
  const policyOf = (set: KubeObject | undefined) =>
    (set as Stored<StatefulSet> | undefined)?.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const [policy, before] = [policyOf(object), policyOf(old)]
  const isNew = (when: 'whenDeleted' | 'whenScaled'): boolean =>
    policy[when] === 'Delete' && before[when] !== 'Delete'
  return isNew('whenDeleted') || isNew('whenScaled')
    ? 'this account may not delete claims, nor have them deleted by persistentVolumeClaimRetentionPolicy'
    : undefined
}

/**
 * Whatever pods of any namespace send to such an address goes to the Service, be it the DNS's. As DenyServiceExternalIPs has it,
 * which real servers have off unless told otherwise. The other address of that kind is in the status, which is not theirs to write.
 */
const takesTraffic = ({ object, old }: AdmissionRequest): string | undefined => {
  const addressesOf = (service: KubeObject | undefined): readonly string[] =>
    (service as Stored<Service> | undefined)?.spec.externalIPs ?? []
  const before = addressesOf(old)
  return addressesOf(object).every((address) => before.includes(address))
    ? undefined
    : 'Use of external IPs is denied by admission control'
}

const findings = new Map([
  [nodes.id, changesNode],
  [persistentVolumeClaims.id, endsClaim],
  [services.id, takesTraffic],
  [statefulSets.id, endsClaimsOfSet],
])

export const restrictedAccounts: AdmissionPlugin = {
  name: 'RestrictedAccounts',
  validate(request) {
    const find = findings.get(request.kind.id)
    if (find === undefined || request.object === undefined || !isRestricted(request)) return
    const why = find(request)
    if (why !== undefined) throw refuse(request, why)
  },
}
