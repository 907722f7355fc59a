/** The EndpointSlice mirroring controller: copies user-managed Endpoints of Services without a selector to slices. */
import type { EndpointAddress, EndpointSubset, Endpoints } from 'kubernetes-types/core/v1.d.ts'
import type { Endpoint } from 'kubernetes-types/discovery/v1.d.ts'
import { defined } from '#kit'
import { endpointSlices, endpoints, services } from '#platform/kube/kinds'
import type { KubeObject, Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { defineController, keyOf, splitKey, watching } from '../define-controller.ts'
import { type AddressType, type PortGroup, reconcileSlices } from './reconcile-slices.ts'
import { TRIGGER_TIME } from './trigger-times.ts'

const SERVICE_NAME = 'kubernetes.io/service-name'
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
const CONTROLLER = 'endpointslicemirroring-controller.k8s.io'
const SKIP = 'endpointslice.kubernetes.io/skip-mirror'
const LEADER = 'control-plane.alpha.kubernetes.io/leader'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const CAPACITY = 1000

const isMirrored = (client: Client, { metadata }: Stored<Endpoints>): boolean => {
  if (metadata.labels?.[SKIP] === 'true' || metadata.annotations?.[LEADER] !== undefined) return false
  const service = client.get(services, metadata.namespace ?? '', metadata.name)
  return service !== undefined && service.spec.selector === undefined
}

const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname === undefined || hostname === '' ? {} : { hostname }),
  ...defined({ targetRef, nodeName }),
})

const groupsOf = ({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): PortGroup[] => {
  const all = [
    ...addresses.map((address) => endpointOf(address, true)),
    ...notReadyAddresses.map((address) => endpointOf(address, false)),
  ].slice(0, CAPACITY)
  const group = (addressType: AddressType): PortGroup => ({
    addressType,
    ports: ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
      name,
      port,
      protocol,
      ...defined({ appProtocol }),
    })),
    endpoints: all.filter(({ addresses: [ip = ''] }) => ip.includes(':') === (addressType === 'IPv6')),
  })
  return [group('IPv4'), group('IPv6')].filter(({ endpoints: members }) => members.length > 0)
}

export const endpointSliceMirroringController = defineController({
  name: 'endpointslicemirroring',
  watches: [
    watching(endpoints, ({ object }, { client }) => (isMirrored(client, object) ? [keyOf(object)] : [])),
    watching(services, ({ object, old }) =>
      object.spec.selector === undefined || (old !== undefined && old.spec.selector === undefined)
        ? [keyOf(object)]
        : [],
    ),
  ],
  reconcile(key, { client }) {
    const { namespace, name } = splitKey(key)
    const object = client.get(endpoints, namespace, name)
    // The garbage collector deletes the slices of deleted Endpoints.
    if (object === undefined) return
    const existing = client
      .ownedBy(endpointSlices, object.metadata.uid)
      .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === CONTROLLER)
    if (!isMirrored(client, object)) {
      for (const slice of existing) client.delete(endpointSlices, namespace, slice.metadata.name)
      return
    }
    const { [LAST_APPLIED]: _, [TRIGGER_TIME]: trigger, ...annotations } = object.metadata.annotations ?? {}
    const labels = { ...object.metadata.labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER }
    const owner = {
      object: object as unknown as KubeObject,
      labels,
      annotations,
      trigger,
      capacity: CAPACITY,
    }
    reconcileSlices(client, owner, (object.subsets ?? []).flatMap(groupsOf), existing)
  },
})
