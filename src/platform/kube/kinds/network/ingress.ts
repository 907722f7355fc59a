/** The Ingress kind. */
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { validateIngress } from './ingress-validation.ts'

const MAX_SHOWN_HOSTS = 3

const hostsText = ({ spec: { rules = [] } }: Stored<Ingress>): string => {
  const hosts = rules.map(({ host = '' }) => host).filter((host) => host !== '')
  if (hosts.length === 0) return '*'
  const visible = hosts.slice(0, MAX_SHOWN_HOSTS).join(',')
  return hosts.length > MAX_SHOWN_HOSTS ? `${visible} + ${hosts.length - MAX_SHOWN_HOSTS} more...` : visible
}

const addressText = ({ status }: Stored<Ingress>): string => {
  const points = (status.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(points.filter((point) => point !== ''))].sort().join(',')
}

export const ingresses = defineKind<Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  singular: 'ingress',
  shortNames: ['ing'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { loadBalancer: {}, ...draft.status }
  },
  prepareCreate: (draft) => {
    draft.status = { loadBalancer: {} }
  },
  validate: validateIngress,
  columns: [
    nameColumn,
    textColumn(
      'Class',
      'The name of the IngressClass resource that should be used for additional configuration',
    ),
    textColumn('Hosts', 'Hosts that incoming requests are matched against before the ingress rule'),
    textColumn('Address', 'Address is a list containing ingress points for the load-balancer'),
    textColumn('Ports', 'Ports of TLS configurations that open'),
    ageColumn,
  ],
  row: (ingress, context) => [
    ingress.metadata.name,
    ingress.spec.ingressClassName ?? '<none>',
    hostsText(ingress),
    addressText(ingress),
    (ingress.spec.tls ?? []).length > 0 ? '80, 443' : '80',
    ageCell(ingress, context),
  ],
})
