/** Applies the LimitRanges of a namespace: defaults for containers, bounds for pods, containers and claims. */
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from 'kubernetes-types/core/v1.d.ts'
import { limitRanges, persistentVolumeClaims, podLimits, podRequests, pods } from '#platform/kube/kinds'
import { formatQuantity, type Stored } from '#platform/kube/meta'
import type { AdmissionPlugin, AdmissionRequest } from '#platform/kube/ports'
import { forbiddenError, joinFindings } from './forbidden-error.ts'
import { type Amounts, aboveMaximum, aboveRatio, belowMinimum, requestAboveMaximum } from './limit-bounds.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'

/** Sets the missing amounts from `defaults` and returns their names. */
const fillMissing = (amounts: Record<string, string>, defaults: Amounts): string[] => {
  const missing = Object.keys(defaults).filter((name) => amounts[name] === undefined)
  for (const name of missing) amounts[name] = defaults[name]!
  return missing.sort()
}

/** Returns descriptions of the amounts that were set. */
const applyContainerDefaults = (
  container: Container,
  range: Stored<LimitRange>,
  containerType: string,
): string[] => {
  const limits: Record<string, string> = { ...container.resources?.limits }
  const requests: Record<string, string> = { ...container.resources?.requests }
  const filled = { requests: [] as string[], limits: [] as string[] }
  for (const item of range.spec.limits ?? []) {
    if (item.type !== 'Container') continue
    filled.requests.push(...fillMissing(requests, item.defaultRequest ?? {}))
    filled.limits.push(...fillMissing(limits, item.default ?? {}))
  }
  if (filled.requests.length + filled.limits.length === 0) return []
  container.resources = {
    ...container.resources,
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
  }
  const owner = `${containerType} ${container.name}`
  return [
    ...(filled.requests.length > 0 ? [`${filled.requests.join(', ')} request for ${owner}`] : []),
    ...(filled.limits.length > 0 ? [`${filled.limits.join(', ')} limit for ${owner}`] : []),
  ]
}

const applyDefaults = (pod: Stored<Pod>, range: Stored<LimitRange>): void => {
  const notes = [
    ...pod.spec.containers.flatMap((container) => applyContainerDefaults(container, range, 'container')),
    ...(pod.spec.initContainers ?? []).flatMap((container) =>
      applyContainerDefaults(container, range, 'init container'),
    ),
  ]
  if (notes.length === 0) return
  const text = `LimitRanger plugin set: ${notes.join('; ')}`
  pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: text }
}

const checkBounds = (item: LimitRangeItem, requests: Amounts, limits: Amounts): string[] => [
  ...belowMinimum(item, requests, limits),
  ...aboveMaximum(item, requests, limits),
  ...aboveRatio(item, requests, limits),
]

const formatAmounts = (amounts: ReturnType<typeof podRequests>): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatQuantity(amount)]))

const checkPod = (pod: Stored<Pod>, range: Stored<LimitRange>): string[] =>
  (range.spec.limits ?? []).flatMap((item) => {
    if (item.type === 'Pod')
      return checkBounds(item, formatAmounts(podRequests(pod)), formatAmounts(podLimits(pod)))
    if (item.type !== 'Container') return []
    return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap(({ resources }) =>
      checkBounds(item, resources?.requests ?? {}, resources?.limits ?? {}),
    )
  })

const checkClaim = (claim: Stored<PersistentVolumeClaim>, range: Stored<LimitRange>): string[] =>
  (range.spec.limits ?? []).flatMap((item) => {
    if (item.type !== 'PersistentVolumeClaim') return []
    const requests = claim.spec.resources?.requests ?? {}
    return [...belowMinimum(item, requests, {}), ...requestAboveMaximum(item, requests)]
  })

/** Only new pods are checked, because an update cannot change the resources of containers. */
const isNewPod = ({ kind, operation, subresource }: AdmissionRequest): boolean =>
  kind.id === pods.id && operation === 'CREATE' && subresource === undefined

const isClaimWrite = ({ kind, operation, subresource }: AdmissionRequest): boolean =>
  kind.id === persistentVolumeClaims.id && operation !== 'DELETE' && subresource === undefined

export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  admit(request) {
    if (!isNewPod(request)) return
    for (const range of request.client.list(limitRanges, request.namespace))
      applyDefaults(request.object as Stored<Pod>, range)
  },
  validate(request) {
    const forPod = isNewPod(request)
    if (!forPod && !isClaimWrite(request)) return
    if (request.operation === 'UPDATE' && request.object?.metadata.deletionTimestamp !== undefined) return
    for (const range of request.client.list(limitRanges, request.namespace)) {
      const findings = forPod
        ? checkPod(request.object as Stored<Pod>, range)
        : checkClaim(request.object as Stored<PersistentVolumeClaim>, range)
      if (findings.length > 0) throw forbiddenError(request, joinFindings(findings))
    }
  },
}
