/** Enforces the quotas of a namespace and records their usage. */
import type { Pod, ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import {
  findMissingQuotaResources,
  matchesQuotaScopes,
  objectUsage,
  persistentVolumeClaims,
  pods,
  type ResourceAmounts,
  resourceQuotas,
  services,
} from '#platform/kube/kinds'
import {
  addQuantities,
  formatQuantity,
  type KubeObject,
  type Quantity,
  quantityOrZero,
  type Stored,
  subtractQuantities,
} from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { forbiddenError } from './forbidden-error.ts'

type Quota = Stored<ResourceQuota>
type Amounts = Record<string, Quantity>

/** Kinds whose usage can increase with an update. */
const KINDS_CHARGED_ON_UPDATE = new Set([services.id, persistentVolumeClaims.id])

const formatAmounts = (amounts: Readonly<Record<string, string>>, names: readonly string[]): string =>
  names.map((name) => `${name}=${amounts[name]}`).join(',')

/** By how much the request increases the usage of each resource; decreases are ignored. */
const computeIncrease = ({ kind, object, old, now }: AdmissionRequest): Amounts => {
  const before: ResourceAmounts = old === undefined ? {} : objectUsage(kind, old, now)
  const added: Amounts = {}
  for (const [name, amount] of Object.entries(objectUsage(kind, object as KubeObject, now))) {
    const delta = before[name] === undefined ? amount : subtractQuantities(amount, before[name])
    if (delta.nano > 0n) added[name] = delta
  }
  return added
}

/** Throws if a pod does not specify a limited resource. */
const checkSpecified = (request: AdmissionRequest, { metadata, status }: Quota): void => {
  if (request.kind.id !== pods.id) return
  const missing = findMissingQuotaResources(request.object as Stored<Pod>, Object.keys(status.hard ?? {}))
  if (missing.size === 0) return
  const list = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`)
  throw forbiddenError(request, `failed quota: ${metadata.name}: must specify ${list.join('; ')}`)
}

/** Returns the new usage, or undefined if the quota does not apply; throws if the quota is exceeded. */
const charge = (request: AdmissionRequest, quota: Quota, added: Amounts): Quota['status']['used'] => {
  if (!matchesQuotaScopes(quota.spec, request.kind, request.object as KubeObject)) return undefined
  checkSpecified(request, quota)
  const { hard = {}, used = {} } = quota.status
  const quotaName = quota.metadata.name
  const names = Object.keys(added)
    .filter((name) => hard[name] !== undefined)
    .sort()
  if (names.length === 0) return undefined
  const unknown = names.filter((name) => used[name] === undefined)
  if (unknown.length > 0)
    throw forbiddenError(request, `status unknown for quota: ${quotaName}, resources: ${unknown.join(',')}`)
  const sums = names.map((name) => addQuantities(quantityOrZero(used[name]), added[name]!))
  const exceeded = names.filter((name, index) => sums[index]!.nano > quantityOrZero(hard[name]).nano)
  if (exceeded.length > 0) {
    const requested = Object.fromEntries(exceeded.map((name) => [name, formatQuantity(added[name]!)]))
    throw forbiddenError(
      request,
      `exceeded quota: ${quotaName}, requested: ${formatAmounts(requested, exceeded)}, used: ${formatAmounts(used, exceeded)}, limited: ${formatAmounts(hard, exceeded)}`,
    )
  }
  return { ...used, ...Object.fromEntries(names.map((name, index) => [name, formatQuantity(sums[index]!)])) }
}

const isCharged = ({ operation, kind, subresource }: AdmissionRequest): boolean =>
  kind.namespaced &&
  subresource === undefined &&
  (operation === 'CREATE' || (operation === 'UPDATE' && KINDS_CHARGED_ON_UPDATE.has(kind.id)))

/** Returns the quotas with their new usage; throws if one is exceeded. */
const computeCharges = (request: AdmissionRequest): Quota[] => {
  if (!isCharged(request)) return []
  const quotas = request.client.list(resourceQuotas, request.namespace)
  if (quotas.length === 0) return []
  const added = computeIncrease(request)
  if (Object.keys(added).length === 0) return []
  return quotas.flatMap((quota) => {
    const used = charge(request, quota, added)
    return used === undefined ? [] : [{ ...quota, status: { ...quota.status, used } }]
  })
}

export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(request) {
    computeCharges(request)
  },
  commit(request) {
    for (const quota of computeCharges(request)) request.client.updateStatus(resourceQuotas, quota)
  },
}
