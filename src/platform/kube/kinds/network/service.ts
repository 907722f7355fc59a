/** The Service kind. */
import type { LoadBalancerIngress, Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, labelsText, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { isExternallyAccessible, keepAllocatedValues, mirrorClusterIp } from './service-addresses.ts'
import { chooseFamilies } from './service-families.ts'
import { validateBalancerStatus } from './service-status-validation.ts'
import { validateService } from './service-validation.ts'

/** Three hours. */
const DEFAULT_AFFINITY_SECONDS = 10_800

const defaultAffinity = (spec: ServiceSpec): void => {
  spec.sessionAffinity ??= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  else if (spec.sessionAffinity === 'ClientIP') {
    const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } }
  }
}

const defaultSpec = (spec: ServiceSpec): void => {
  spec.type ??= 'ClusterIP'
  for (const port of spec.ports ?? []) {
    port.protocol ??= 'TCP'
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') {
      port.targetPort = port.port
    }
  }
  defaultAffinity(spec)
  if (spec.type === 'ExternalName') return
  spec.internalTrafficPolicy ??= 'Cluster'
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/** Sets the default `ipMode`, VIP: traffic arrives with the address of the load balancer as its destination. */
const completeStatus = (service: Stored<Service>): void => {
  const { ingress } = service.status.loadBalancer ?? {}
  if (service.spec.type !== 'LoadBalancer' || ingress === undefined) return
  const completed = ingress.map((point: LoadBalancerIngress) =>
    point.ip ? { ...point, ipMode: point.ipMode ?? 'VIP' } : point,
  )
  service.status = { ...service.status, loadBalancer: { ...service.status.loadBalancer, ingress: completed } }
}

const balancerText = ({ status }: Stored<Service>): string => {
  const points = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(points.filter((point) => point !== ''))].sort().join(',')
}

const externalText = (service: Stored<Service>): string => {
  const { type, externalIPs = [], externalName = '' } = service.spec
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>'
    case 'LoadBalancer':
      return [balancerText(service), ...externalIPs].filter((text) => text !== '').join(',') || '<pending>'
    case 'ExternalName':
      return externalName
    default:
      return '<unknown>'
  }
}

const portsText = (ports: ServiceSpec['ports']): string =>
  (ports ?? [])
    .map(({ port, nodePort = 0, protocol }) =>
      nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
    )
    .join(',') || '<none>'

export const services = defineKind<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  singular: 'service',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  returnsDeleted: true,
  allowCreateOnUpdate: true,
  nameRule: 'label-1035',
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { loadBalancer: {}, ...draft.status }
    defaultSpec(draft.spec)
  },
  prepareCreate: (draft) => {
    draft.status = { loadBalancer: {} }
    mirrorClusterIp(draft.spec, undefined)
    chooseFamilies(draft.spec, undefined)
  },
  prepareUpdate: (draft, old) => {
    mirrorClusterIp(draft.spec, old.spec)
    keepAllocatedValues(draft.spec, old.spec)
    chooseFamilies(draft.spec, old.spec)
  },
  completeStatus,
  validate: validateService,
  validateStatus: validateBalancerStatus,
  columns: [
    nameColumn,
    textColumn(
      'Type',
      'type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types',
    ),
    textColumn(
      'Cluster-IP',
      'clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    ),
    textColumn(
      'External-IP',
      'externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system.',
    ),
    textColumn(
      'Port(s)',
      'The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
    ),
    ageColumn,
    wideColumn(
      'Selector',
      'Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/',
    ),
  ],
  row: (service, context) => [
    service.metadata.name,
    service.spec.type ?? '',
    service.spec.clusterIPs?.[0] ?? '<none>',
    externalText(service),
    portsText(service.spec.ports),
    ageCell(service, context),
    labelsText(service.spec.selector),
  ],
  selectableFields: (service) => ({
    'spec.clusterIP': service.spec.clusterIP ?? '',
    'spec.type': service.spec.type ?? '',
  }),
})
