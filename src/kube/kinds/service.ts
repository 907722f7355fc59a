/** Service. */
import type { LoadBalancerIngress, Service, ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { isReachedFromOutside, keepAllocatedValues, mirrorClusterIp } from './service-addresses.ts'
import { validateBalancerStatus } from './service-status-validation.ts'
import { validateService } from './service-validation.ts'
import { ageCell, ageColumn, labelsText, nameColumn, textColumn, wideColumn } from './standard-columns.ts'

/** Three hours, as long as a client sticks to its pod. */
const AFFINITY_SECONDS = 10_800

const defaultAffinity = (spec: ServiceSpec): void => {
  spec.sessionAffinity ??= 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  else if (spec.sessionAffinity === 'ClientIP') {
    const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? AFFINITY_SECONDS
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } }
  }
}

/** The cluster speaks IPv4; a headless Service without selector may have endpoints of any family. */
const chooseFamilies = (spec: ServiceSpec): void => {
  if (spec.type === 'ExternalName') return
  if (spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0) {
    spec.ipFamilyPolicy ??= 'RequireDualStack'
    spec.ipFamilies ??= spec.ipFamilyPolicy === 'SingleStack' ? ['IPv4'] : ['IPv4', 'IPv6']
    return
  }
  spec.ipFamilyPolicy ??= 'SingleStack'
  spec.ipFamilies ??= ['IPv4']
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
  if (isReachedFromOutside(spec)) spec.externalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/** A balancer that only names its address answers under it itself, as an address of the node would. */
const completeStatus = (service: Stored<Service>): void => {
  const { ingress } = service.status.loadBalancer ?? {}
  if (service.spec.type !== 'LoadBalancer' || ingress === undefined) return
  const complete = ingress.map((point: LoadBalancerIngress) =>
    point.ip ? { ...point, ipMode: point.ipMode ?? 'VIP' } : point,
  )
  service.status = { ...service.status, loadBalancer: { ...service.status.loadBalancer, ingress: complete } }
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
  createOnUpdate: true,
  nameRule: 'label-1035',
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { loadBalancer: {}, ...draft.status }
    defaultSpec(draft.spec)
  },
  prepareCreate: (draft) => {
    draft.status = { loadBalancer: {} }
    mirrorClusterIp(draft.spec, undefined)
    chooseFamilies(draft.spec)
  },
  prepareUpdate: (draft, old) => {
    mirrorClusterIp(draft.spec, old.spec)
    keepAllocatedValues(draft.spec, old.spec)
    chooseFamilies(draft.spec)
  },
  completeStatus,
  validate: validateService,
  validateStatus: validateBalancerStatus,
  columns: [
    nameColumn,
    textColumn('Type', 'How the service is exposed.'),
    textColumn('Cluster-IP', 'Address inside the cluster.'),
    textColumn('External-IP', 'Address outside the cluster.'),
    textColumn('Port(s)', 'Ports that it listens on.'),
    ageColumn,
    wideColumn('Selector', 'Labels of the pods behind it.'),
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
