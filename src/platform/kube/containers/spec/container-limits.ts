/** The limits of a container, as the kubelet derives them from requests and limits. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { milliValue, type Stored, unitValue } from '#platform/kube/meta'

/** The memory limit in bytes; undefined if there is none. */
export const memoryLimitOf = ({ resources }: Container): number | undefined => {
  const limit = unitValue(resources?.limits?.memory)
  return limit > 0 ? limit : undefined
}

/** In thousandths of a core; a limit of 0 means that there is none. The request is the limit by default. */
export const cpuMillisOf = ({
  resources,
}: Container): { readonly limit: number; readonly request: number } => {
  const limit = milliValue(resources?.limits?.cpu)
  return {
    limit,
    request: resources?.requests?.cpu === undefined ? limit : milliValue(resources.requests.cpu),
  }
}

/** The OOM score adjustment on a node with this memory. */
export const oomScoreOf = (pod: Stored<Pod>, { resources }: Container, nodeBytes: number): number => {
  const { qosClass } = pod.status
  if (qosClass === 'Guaranteed') return -997
  if (qosClass !== 'Burstable') return 1000
  const share = unitValue(resources?.requests?.memory) / nodeBytes
  return Math.min(999, Math.max(2, 1000 - Math.floor(1000 * share)))
}
