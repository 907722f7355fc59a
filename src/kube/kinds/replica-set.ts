/** ReplicaSet. */
import type { ReplicaSet, ReplicaSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from './define-kind.ts'
import { validateNonnegative } from './number-validation.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from './pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn } from './standard-columns.ts'
import {
  containerCells,
  containerColumns,
  replicaColumns,
  selectorCell,
  selectorColumn,
} from './workload-columns.ts'

export const replicaSets = defineKind<ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  scale: { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' },
  defaults(set) {
    set.spec ??= {} as ReplicaSetSpec
    set.spec.replicas ??= 1
    set.spec.template = defaultTemplate(set.spec.template)
  },
  prepareCreate(set) {
    set.status = { replicas: 0 }
  },
  validate: ({ spec }, old) => [
    ...validateNonnegative(spec.replicas, 'spec.replicas'),
    ...validateNonnegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    // The wording is that of the server, which took it over from Deployments.
    ...validateRequiredSelector(spec.selector, 'deployment'),
    ...validateSelectorMatch(spec.selector, spec.template ?? {}),
    ...validateTemplate(spec.template ?? {}, 'spec.template'),
    ...validateAlwaysRestarted(spec.template ?? {}, 'ReplicaSet', 'spec.template'),
    ...(old === undefined ? [] : validateUnchangedSelector(spec.selector, old.spec.selector)),
  ],
  columns: [nameColumn, ...replicaColumns, ageColumn, ...containerColumns, selectorColumn],
  row: (set, context) => [
    set.metadata.name,
    set.spec.replicas ?? 0,
    set.status.replicas,
    set.status.readyReplicas ?? 0,
    ageCell(set, context),
    ...containerCells(set.spec.template?.spec),
    selectorCell(set.spec.selector),
  ],
  selectableFields: ({ status }) => ({ 'status.replicas': String(status.replicas) }),
})
