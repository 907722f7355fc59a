/** Computes the usage that ResourceQuotas limit. */
import type { PersistentVolumeClaim, Pod, ResourceQuotaSpec, Service } from 'kubernetes-types/core/v1.d.ts'
import {
  addQuantities,
  fromTime,
  type KubeObject,
  type Quantity,
  quantityOrZero,
  type Stored,
  toQualifiedResource,
} from '#platform/kube/meta'
import type { Kind } from '../define-kind.ts'
import { services } from '../network/service.ts'
import { pods } from '../pods/pod.ts'
import { isPodTerminal } from '../pods/pod-condition.ts'
import { podLimits, podRequests, type ResourceAmounts } from '../pods/pod-resources.ts'
import { persistentVolumeClaims } from '../storage/persistent-volume-claim.ts'
import { matchesQuotaScopes } from './quota-scopes.ts'

type Amounts = Record<string, Quantity>

const count = (number: number): Quantity => ({ nano: BigInt(number) * 10n ** 9n, format: 'decimal' })

/** Resources that quotas can also count by their plain name. */
const COUNTED_BY_NAME = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

const computeResourceUsage = (requests: ResourceAmounts, limits: ResourceAmounts): Amounts => {
  const usage: Amounts = {}
  for (const name in requests) {
    if (!name.includes('/')) usage[name] = requests[name]!
    usage[`requests.${name}`] = requests[name]!
  }
  for (const name in limits) usage[`limits.${name}`] = limits[name]!
  return usage
}

/** Whether a pod has terminated or its grace period is over. Such pods use no compute resources. */
const hasEnded = (pod: Stored<Pod>, now: number): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = pod.metadata
  if (isPodTerminal(pod)) return true
  return (
    deletionTimestamp !== undefined && grace !== undefined && now > fromTime(deletionTimestamp) + grace * 1000
  )
}

const podUsage = (pod: Stored<Pod>, now: number): Amounts =>
  hasEnded(pod, now) ? {} : { pods: count(1), ...computeResourceUsage(podRequests(pod), podLimits(pod)) }

const serviceUsage = ({ spec }: Stored<Service>): Amounts => {
  const ports = spec.ports ?? []
  if (spec.type === 'NodePort') return { 'services.nodeports': count(ports.length) }
  if (spec.type !== 'LoadBalancer') return {}
  const nodePorts =
    spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports
  return { 'services.loadbalancers': count(1), 'services.nodeports': count(nodePorts.length) }
}

const claimUsage = ({ spec }: Stored<PersistentVolumeClaim>): Amounts => {
  const size = quantityOrZero(spec.resources?.requests?.storage)
  const prefix = `${spec.storageClassName ?? ''}.storageclass.storage.k8s.io`
  return {
    'requests.storage': size,
    ...(spec.storageClassName
      ? { [`${prefix}/requests.storage`]: size, [`${prefix}/persistentvolumeclaims`]: count(1) }
      : {}),
  }
}

const specificUsage = (kind: Kind, object: KubeObject, now: number): Amounts => {
  switch (kind.id) {
    case pods.id:
      return podUsage(object as Stored<Pod>, now)
    case services.id:
      return serviceUsage(object as Stored<Service>)
    case persistentVolumeClaims.id:
      return claimUsage(object as Stored<PersistentVolumeClaim>)
    default:
      return {}
  }
}

/** Returns the usage of an object by quota resource: `pods`, `requests.cpu`, `count/deployments.apps` ... */
export const objectUsage = (kind: Kind, object: KubeObject, now: number): ResourceAmounts => ({
  [`count/${toQualifiedResource(kind)}`]: count(1),
  ...(COUNTED_BY_NAME.has(kind.id) ? { [kind.id]: count(1) } : {}),
  ...specificUsage(kind, object, now),
})

const MEASURED_KINDS = new Set([pods.id, services.id, persistentVolumeClaims.id])

/** Returns the usage of all objects of a namespace, for the resources that the quota limits. */
export const quotaUsage = (
  spec: ResourceQuotaSpec,
  kinds: readonly Kind[],
  list: (kind: Kind) => readonly KubeObject[],
  now: number,
): ResourceAmounts => {
  const hard = spec.hard ?? {}
  const used: Amounts = Object.fromEntries(Object.keys(hard).map((name) => [name, count(0)]))
  for (const kind of kinds) {
    const counted = hard[`count/${toQualifiedResource(kind)}`] !== undefined || hard[kind.id] !== undefined
    if (!kind.namespaced || !(counted || MEASURED_KINDS.has(kind.id))) continue
    for (const object of list(kind)) {
      if (!matchesQuotaScopes(spec, kind, object)) continue
      for (const [name, amount] of Object.entries(objectUsage(kind, object, now)))
        if (used[name] !== undefined) used[name] = addQuantities(used[name], amount)
    }
  }
  return used
}

const EXPLICIT_RESOURCES = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
)

/** Returns the compute resources under quota that containers of the pod omit, with the names of these containers. */
export const findMissingQuotaResources = (
  pod: Stored<Pod>,
  limited: readonly string[],
): Map<string, string[]> => {
  const missing = new Map<string, string[]>()
  const required = limited.filter((name) => EXPLICIT_RESOURCES.has(name)).sort()
  if (required.length === 0) return missing
  for (const { name: container, resources = {} } of [
    ...pod.spec.containers,
    ...(pod.spec.initContainers ?? []),
  ]) {
    const specified = new Set([
      ...Object.keys(resources.requests ?? {}).flatMap((name) => [name, `requests.${name}`]),
      ...Object.keys(resources.limits ?? {}).map((name) => `limits.${name}`),
    ])
    for (const name of required)
      if (!specified.has(name)) missing.set(name, [...(missing.get(name) ?? []), container])
  }
  return missing
}
