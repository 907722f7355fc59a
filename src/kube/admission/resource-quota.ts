/** Holds what is created in a namespace to its quotas, and books what it takes. */
import type { Pod, ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import {
  matchesQuotaScopes,
  missingForQuota,
  objectUsage,
  persistentVolumeClaims,
  pods,
  type ResourceAmounts,
  resourceQuotas,
  services,
} from '../kinds/index.ts'
import {
  addQuantities,
  formatQuantity,
  type KubeObject,
  parseQuantity,
  type Quantity,
  type Stored,
  subtractQuantities,
} from '../meta/index.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../ports/index.ts'
import { refuse } from './refuse.ts'

type Quota = Stored<ResourceQuota>
type Amounts = Record<string, Quantity>

/** Those whose usage may grow after their creation. */
const GROWING = new Set([services.id, persistentVolumeClaims.id])

const listing = (amounts: Readonly<Record<string, string>>, names: readonly string[]): string =>
  names.map((name) => `${name}=${amounts[name]}`).join(',')

/** What the request adds to the usage of its namespace; nothing when it only gives back. */
const requestedBy = ({ kind, object, old, now }: AdmissionRequest): Amounts => {
  const before: ResourceAmounts = old === undefined ? {} : objectUsage(kind, old, now)
  const added: Amounts = {}
  for (const [name, amount] of Object.entries(objectUsage(kind, object as KubeObject, now))) {
    const delta = before[name] === undefined ? amount : subtractQuantities(amount, before[name])
    if (delta.nano > 0n) added[name] = delta
  }
  return added
}

/** Pods must say what they take of what is limited: silence would count as nothing. */
const demandNumbers = (request: AdmissionRequest, { metadata, status }: Quota): void => {
  if (request.kind.id !== pods.id) return
  const missing = missingForQuota(request.object as Stored<Pod>, Object.keys(status.hard ?? {}))
  if (missing.size === 0) return
  const list = [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`)
  throw refuse(request, `failed quota: ${metadata.name}: must specify ${list.join('; ')}`)
}

/** Refuses unless `quota` has room; gives its new usage, or nothing when it is not concerned. */
const charge = (request: AdmissionRequest, quota: Quota, added: Amounts): Quota['status']['used'] => {
  if (!matchesQuotaScopes(quota.spec, request.kind, request.object as KubeObject)) return undefined
  demandNumbers(request, quota)
  const { hard = {}, used = {} } = quota.status
  const quotaName = quota.metadata.name
  const names = Object.keys(added)
    .filter((name) => hard[name] !== undefined)
    .sort()
  if (names.length === 0) return undefined
  const unknown = names.filter((name) => used[name] === undefined)
  if (unknown.length > 0)
    throw refuse(request, `status unknown for quota: ${quotaName}, resources: ${unknown.join(',')}`)
  const sums = names.map((name) => addQuantities(parseQuantity(used[name]), added[name]!))
  const exceeded = names.filter((name, index) => sums[index]!.nano > parseQuantity(hard[name]).nano)
  if (exceeded.length > 0) {
    const asked = Object.fromEntries(exceeded.map((name) => [name, formatQuantity(added[name]!)]))
    throw refuse(
      request,
      `exceeded quota: ${quotaName}, requested: ${listing(asked, exceeded)}, used: ${listing(used, exceeded)}, limited: ${listing(hard, exceeded)}`,
    )
  }
  return { ...used, ...Object.fromEntries(names.map((name, index) => [name, formatQuantity(sums[index]!)])) }
}

const concerns = ({ operation, kind, subresource }: AdmissionRequest): boolean =>
  kind.namespaced &&
  subresource === undefined &&
  (operation === 'CREATE' || (operation === 'UPDATE' && GROWING.has(kind.id)))

/** The quotas that the request draws on, as they will be; refuses where one of them has no room. */
const charged = (request: AdmissionRequest): Quota[] => {
  if (!concerns(request)) return []
  const quotas = request.client.list(resourceQuotas, request.namespace)
  if (quotas.length === 0) return []
  const added = requestedBy(request)
  if (Object.keys(added).length === 0) return []
  return quotas.flatMap((quota) => {
    const used = charge(request, quota, added)
    return used === undefined ? [] : [{ ...quota, status: { ...quota.status, used } }]
  })
}

export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(request) {
    charged(request)
  },
  book(request) {
    for (const quota of charged(request)) request.client.updateStatus(resourceQuotas, quota)
  },
}
