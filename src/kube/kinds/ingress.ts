/** Ingress. */
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import type { Stored } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateIngress } from './ingress-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'

const SHOWN_HOSTS = 3

const hostsText = ({ spec: { rules = [] } }: Stored<Ingress>): string => {
  const hosts = rules.map(({ host = '' }) => host).filter((host) => host !== '')
  if (hosts.length === 0) return '*'
  const shown = hosts.slice(0, SHOWN_HOSTS).join(',')
  return hosts.length > SHOWN_HOSTS ? `${shown} + ${hosts.length - SHOWN_HOSTS} more...` : shown
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
    textColumn('Class', 'Class that handles it.'),
    textColumn('Hosts', 'Hosts that its rules name.'),
    textColumn('Address', 'Where it can be reached.'),
    textColumn('Ports', 'Ports that it opens.'),
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
