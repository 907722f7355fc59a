/** A pod as the endpoint of a Service: its address, its ports and its object reference. */
import type { ObjectReference, Pod, Service, ServicePort } from 'kubernetes-types/core/v1.d.ts'
import { defined } from '#kit'
import { isPodTerminal, pods } from '#platform/kube/kinds'
import { hasLabels, type Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

/** Returns the pods that the Service selects, in any state. */
export const selectedPods = (client: Client, service: Stored<Service>): Stored<Pod>[] =>
  client
    .list(pods, service.metadata.namespace)
    .filter((pod) => hasLabels(pod.metadata.labels, service.spec.selector ?? {}))

/** Whether the pod has an address and is not terminal. */
export const isReachable = (pod: Stored<Pod>): boolean =>
  !isPodTerminal(pod) && (pod.status.podIP ?? '') !== ''

export const referenceTo = ({ metadata }: Stored<Pod>): ObjectReference => ({
  kind: 'Pod',
  ...defined({ namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid,
})

/** Returns the pod's host name in DNS if the Service is its subdomain. */
export const hostnameUnder = (service: Stored<Service>, { spec }: Stored<Pod>): string | undefined =>
  (spec.hostname ?? '') !== '' && spec.subdomain === service.metadata.name ? spec.hostname : undefined

/** Resolves the target port of a Service to a number; named ports are looked up in the pod's containers. */
export const portOf = ({ spec }: Stored<Pod>, servicePort: ServicePort): number | undefined => {
  const { targetPort, protocol = 'TCP' } = servicePort
  if (typeof targetPort === 'number') return targetPort
  if (targetPort === undefined || targetPort === '') return servicePort.port
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const { ports } of [...spec.containers, ...sidecars]) {
    const namedPort = ports?.find((port) => port.name === targetPort && (port.protocol ?? 'TCP') === protocol)
    if (namedPort !== undefined) return namedPort.containerPort
  }
  return undefined
}

/** Whether the Service has no cluster IP, so that DNS resolves to the addresses of its pods. */
export const isHeadless = ({ spec }: Stored<Service>): boolean =>
  spec.clusterIP === undefined || spec.clusterIP === '' || spec.clusterIP === 'None'

export const HEADLESS_LABEL = 'service.kubernetes.io/headless'
