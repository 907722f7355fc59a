/** The Lease kind. */
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { invalid } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

export const leases = defineKind<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  requireResourceVersion: true,
  defaults: (draft) => {
    draft.spec ??= {}
  },
  validate: ({ spec }) => [
    ...(spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0
      ? [invalid('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0')]
      : []),
    ...(spec.leaseTransitions !== undefined && spec.leaseTransitions < 0
      ? [invalid('spec.leaseTransitions', spec.leaseTransitions, 'must be greater than or equal to 0')]
      : []),
  ],
  columns: [
    nameColumn,
    textColumn(
      'Holder',
      'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.',
    ),
    ageColumn,
  ],
  row: (lease, context) => [lease.metadata.name, lease.spec.holderIdentity ?? '', ageCell(lease, context)],
})
