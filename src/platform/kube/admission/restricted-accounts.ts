/**
 * Restricts annotated service accounts. Through the objects that they may change, they can neither affect pods
 * and traffic of other namespaces nor delete objects that they may not delete. The plugin is similar to
 * NodeRestriction, but is not part of Kubernetes.
 */
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts'
import type { Node, NodeSpec, Service, Taint } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import { nodes, persistentVolumeClaims, serviceAccounts, services, statefulSets } from '#platform/kube/kinds'
import type { KubeObject, OwnerReference, Stored } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { RESTRICTED_ACCOUNT } from '#spec'
import { forbiddenError } from './forbidden-error.ts'

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/

/** Whether the user is an annotated service account. */
export const isRestrictedAccount = ({ user, client }: Pick<AdmissionRequest, 'user' | 'client'>): boolean => {
  const [, namespace, name] = ACCOUNT.exec(user.username) ?? []
  if (namespace === undefined || name === undefined) return false
  const account = client.get(serviceAccounts, namespace, name)
  return account?.metadata.annotations?.[RESTRICTED_ACCOUNT] === 'true'
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] =>
  object?.metadata.ownerReferences ?? []

const noExecuteTaints = (node: Stored<Node> | undefined): Taint[] =>
  (node?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

/** Owner references are protected because the garbage collector deletes objects whose owners do not exist. */
const protectedFields = (node: Stored<Node> | undefined): unknown => {
  const { unschedulable, taints, ...spec }: NodeSpec = node?.spec ?? {}
  const { ownerReferences = [], finalizers = [] } = node?.metadata ?? {}
  return [spec, ownerReferences, finalizers]
}

const checkNode = ({ object, old }: AdmissionRequest): string | undefined => {
  const [node, before] = [object as Stored<Node>, old as Stored<Node> | undefined]
  const existingTaints = noExecuteTaints(before)
  const isExisting = (taint: Taint): boolean =>
    existingTaints.some(({ key, value = '' }) => key === taint.key && value === (taint.value ?? ''))
  if (!noExecuteTaints(node).every(isExisting))
    return 'a taint with the effect NoExecute evicts the pods of every namespace; cordon or drain the node instead'
  if (!deepEqual(protectedFields(node), protectedFields(before)))
    return 'this account may change only unschedulable, taints, labels and annotations of a node'
  return undefined
}

const checkClaim = ({ object, old }: AdmissionRequest): string | undefined => {
  const before = ownersOf(old)
  return ownersOf(object).every((owner) => before.some((existing) => deepEqual(existing, owner)))
    ? undefined
    : 'this account may not delete claims, and therefore may not add owner references to them'
}

const checkStatefulSet = ({ object, old }: AdmissionRequest): string | undefined => {
  const policyOf = (set: KubeObject | undefined) =>
    (set as Stored<StatefulSet> | undefined)?.spec.persistentVolumeClaimRetentionPolicy ?? {}
  const [policy, before] = [policyOf(object), policyOf(old)]
  const becomesDelete = (when: 'whenDeleted' | 'whenScaled'): boolean =>
    policy[when] === 'Delete' && before[when] !== 'Delete'
  return becomesDelete('whenDeleted') || becomesDelete('whenScaled')
    ? 'this account may not delete claims, and therefore may not set persistentVolumeClaimRetentionPolicy to Delete'
    : undefined
}

/**
 * Traffic from all namespaces to an external IP is routed to the Service, even if that IP is the address of the
 * DNS server. The rule is that of DenyServiceExternalIPs, which real servers disable by default. Load balancer
 * IPs are in the status, which these accounts cannot write.
 */
const checkService = ({ object, old }: AdmissionRequest): string | undefined => {
  const addressesOf = (service: KubeObject | undefined): readonly string[] =>
    (service as Stored<Service> | undefined)?.spec.externalIPs ?? []
  const before = addressesOf(old)
  return addressesOf(object).every((address) => before.includes(address))
    ? undefined
    : 'Use of external IPs is denied by admission control'
}

const CHECKS = new Map([
  [nodes.id, checkNode],
  [persistentVolumeClaims.id, checkClaim],
  [services.id, checkService],
  [statefulSets.id, checkStatefulSet],
])

export const restrictedAccounts: AdmissionPlugin = {
  name: 'RestrictedAccounts',
  validate(request) {
    const check = CHECKS.get(request.kind.id)
    if (check === undefined || request.object === undefined || !isRestrictedAccount(request)) return
    const detail = check(request)
    if (detail !== undefined) throw forbiddenError(request, detail)
  },
}
