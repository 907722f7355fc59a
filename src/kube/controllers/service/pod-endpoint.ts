/** What a pod is to a Service: its address, its ports, and the reference that leads back to it. */
import type { ObjectReference, Pod, Service, ServicePort } from 'kubernetes-types/core/v1.d.ts'
import { isPodTerminal, pods } from '../../kinds/index.ts'
import { hasLabels, type Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'

/** The pods that the Service selects, whatever their state. */
export const selectedPods = (client: Client, service: Stored<Service>): Stored<Pod>[] =>
  client
    .list(pods, service.metadata.namespace)
    .filter((pod) => hasLabels(pod.metadata.labels, service.spec.selector ?? {}))

/** Has an address and has not ended. */
export const isReachable = (pod: Stored<Pod>): boolean =>
  !isPodTerminal(pod) && (pod.status.podIP ?? '') !== ''

export const referenceTo = ({ metadata }: Stored<Pod>): ObjectReference => ({
  kind: 'Pod',
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid,
})

/** The name by which the pod is found under a Service that its spec names as its subdomain. */
export const hostnameUnder = (service: Stored<Service>, { spec }: Stored<Pod>): string | undefined =>
  (spec.hostname ?? '') !== '' && spec.subdomain === service.metadata.name ? spec.hostname : undefined

/** The number of the port that the Service means: its own, or one that the pod's containers name. */
export const portOf = ({ spec }: Stored<Pod>, servicePort: ServicePort): number | undefined => {
  const { targetPort, protocol = 'TCP' } = servicePort
  if (typeof targetPort === 'number') return targetPort
  if (targetPort === undefined || targetPort === '') return servicePort.port
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const { ports } of [...spec.containers, ...sidecars]) {
    const named = ports?.find((port) => port.name === targetPort && (port.protocol ?? 'TCP') === protocol)
    if (named !== undefined) return named.containerPort
  }
  return undefined
}

/** Without a cluster address: DNS gives the addresses of the pods. */
export const isHeadless = ({ spec }: Stored<Service>): boolean =>
  spec.clusterIP === undefined || spec.clusterIP === '' || spec.clusterIP === 'None'

export const HEADLESS_LABEL = 'service.kubernetes.io/headless'
