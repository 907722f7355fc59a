/** The EndpointSlice controller: keeps the endpoints of each Service with a selector in slices of at most 100. */
import type { Pod, Service } from 'kubernetes-types/core/v1.d.ts'
import type { Endpoint, EndpointPort } from 'kubernetes-types/discovery/v1.d.ts'
import { defined } from '#kit'
import { endpointSlices, isPodReady, nodes, services } from '#platform/kube/kinds'
import type { KubeObject, Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import {
  HEADLESS_LABEL,
  hostnameUnder,
  isHeadless,
  isReachable,
  portOf,
  referenceTo,
  selectedPods,
} from './pod-endpoint.ts'
import { type AddressType, type PortGroup, reconcileSlices } from './reconcile-slices.ts'
import { createTriggerTimes } from './trigger-times.ts'
import { watchingSelectedPods } from './watching-selected-pods.ts'

const SERVICE_NAME = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const CONTROLLER = 'endpointslice-controller.k8s.io'
const ZONE = 'topology.kubernetes.io/zone'
const CAPACITY = 100

const labelsFor = (service: Stored<Service>): Record<string, string> => {
  const { [HEADLESS_LABEL]: _, ...labels } = service.metadata.labels ?? {}
  return {
    ...labels,
    ...(isHeadless(service) ? { [HEADLESS_LABEL]: '' } : {}),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: CONTROLLER,
  }
}

const isOfType = (ip: string, type: AddressType): boolean => ip.includes(':') === (type === 'IPv6')

const addressOf = ({ status }: Stored<Pod>, type: AddressType): string | undefined =>
  [status.podIP ?? '', ...(status.podIPs ?? []).map(({ ip }) => ip ?? '')].find(
    (ip) => ip !== '' && isOfType(ip, type),
  )

const endpointOf = (client: Client, service: Stored<Service>, pod: Stored<Pod>, ip: string): Endpoint => {
  const { nodeName } = pod.spec
  const hostname = hostnameUnder(service, pod)
  const zone = client.get(nodes, '', nodeName ?? '')?.metadata.labels?.[ZONE]
  const serving = isPodReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating)
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    ...defined({ hostname }),
    targetRef: referenceTo(pod),
    ...defined({ nodeName, zone }),
  }
}

const portsOf = (service: Stored<Service>, pod: Stored<Pod>): EndpointPort[] =>
  (service.spec.ports ?? []).flatMap((servicePort) => {
    const port = portOf(pod, servicePort)
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    if (port === undefined) return []
    return [{ name, protocol, port, ...defined({ appProtocol }) }]
  })

const groupsOf = (
  client: Client,
  service: Stored<Service>,
  selected: readonly Stored<Pod>[],
  addressType: AddressType,
): PortGroup[] => {
  const groups = new Map<string, PortGroup>()
  for (const pod of selected) {
    const ip = addressOf(pod, addressType)
    if (!isReachable(pod) || ip === undefined) continue
    const ports = portsOf(service, pod)
    const key = JSON.stringify(ports)
    let group = groups.get(key)
    if (group === undefined) {
      group = { addressType, ports, endpoints: [] }
      groups.set(key, group)
    }
    group.endpoints.push(endpointOf(client, service, pod, ip))
  }
  return groups.size === 0 ? [{ addressType, ports: [], endpoints: [] }] : [...groups.values()]
}

export const createEndpointSliceController = (): Controller => {
  const triggers = createTriggerTimes()
  return defineController({
    name: 'endpointslice',
    watches: [
      watching(services, ({ object }) => [keyOf(object)]),
      watchingSelectedPods,
      watching(endpointSlices, ({ type, object: { metadata } }) =>
        type === 'DELETED' && metadata.labels?.[MANAGED_BY] === CONTROLLER
          ? [`${metadata.namespace}/${metadata.labels[SERVICE_NAME]}`]
          : [],
      ),
    ],
    reconcile(key, { client }) {
      const { namespace, name } = splitKey(key)
      const service = client.get(services, namespace, name)
      // The garbage collector deletes the slices of a deleted Service.
      if (service === undefined) triggers.forget(key)
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) return
      if (service.spec.selector === undefined || service.spec.type === 'ExternalName') return
      const selected = selectedPods(client, service)
      const object = service as unknown as KubeObject
      const trigger = triggers.next(service, selected)
      const owner = { object, labels: labelsFor(service), annotations: {}, trigger, capacity: CAPACITY }
      const existing = client
        .ownedBy(endpointSlices, service.metadata.uid)
        .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === CONTROLLER)
      for (const addressType of (service.spec.ipFamilies ?? ['IPv4']) as AddressType[]) {
        reconcileSlices(
          client,
          owner,
          groupsOf(client, service, selected, addressType),
          existing.filter((slice) => slice.addressType === addressType),
        )
      }
    },
  })
}
