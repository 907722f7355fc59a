/** Resolves `fieldRef` and `resourceFieldRef` of the downward API. */
import type { ObjectFieldSelector, Pod, ResourceFieldSelector } from 'kubernetes-types/core/v1.d.ts'
import { memberOf } from '#kit'
import { quantityOrZero, type Stored } from '#platform/kube/meta'

/** The values that depend on the pod's node. */
export interface PodLocation {
  nodeName: string
  hostIP: string
  podIP: string
  allocatable: Readonly<Record<string, string>>
}

const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.*)'\]$/

const mapText = (map: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n')

/** Returns the value of a field path; undefined if the path is unsupported. */
export const fieldValue = (
  { fieldPath }: ObjectFieldSelector,
  pod: Stored<Pod>,
  location: PodLocation,
): string | undefined => {
  const subscript = SUBSCRIPT.exec(fieldPath)
  if (subscript !== null)
    return memberOf(pod.metadata[subscript[1] as 'labels' | 'annotations'], subscript[2]!) ?? ''
  switch (fieldPath) {
    case 'metadata.name':
      return pod.metadata.name
    case 'metadata.namespace':
      return pod.metadata.namespace ?? ''
    case 'metadata.uid':
      return pod.metadata.uid
    case 'metadata.labels':
      return mapText(pod.metadata.labels)
    case 'metadata.annotations':
      return mapText(pod.metadata.annotations)
    case 'spec.nodeName':
      return location.nodeName
    case 'spec.serviceAccountName':
      return pod.spec.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return location.hostIP
    case 'status.podIP':
    case 'status.podIPs':
      return location.podIP
    default:
      return undefined
  }
}

/** Returns a request or limit in divisor units, rounded up. An unset limit is the node's allocatable. */
export const resourceValue = (
  { resource, divisor, containerName }: ResourceFieldSelector,
  pod: Stored<Pod>,
  defaultContainer: string,
  location: PodLocation,
): string => {
  const name = containerName ?? defaultContainer
  const container = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
    (candidate) => candidate.name === name,
  )
  const [section, ...rest] = resource.split('.')
  const key = rest.join('.')
  const declared = memberOf(container?.resources?.[section as 'limits' | 'requests'], key)
  const amount = quantityOrZero(
    declared ?? (section === 'limits' ? memberOf(location.allocatable, key) : undefined),
  ).nano
  const unit = divisor === undefined || divisor === '0' ? 1_000_000_000n : quantityOrZero(divisor).nano
  return String((amount + unit - 1n) / unit)
}
