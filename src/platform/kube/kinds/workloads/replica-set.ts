/** The ReplicaSet kind. */
import type { ReplicaSet, ReplicaSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import { defineKind } from '../define-kind.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, wideColumn } from '../standard-columns.ts'
import { validateNonnegative } from '../validation/number-validation.ts'
import { containerCells, containerColumns, countColumn, selectorCell } from './workload-columns.ts'

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
    // kube-apiserver also writes `deployment` here.
    ...validateRequiredSelector(spec.selector, 'deployment'),
    ...validateSelectorMatch(spec.selector, spec.template ?? {}),
    ...validateTemplate(spec.template ?? {}, 'spec.template'),
    ...validateAlwaysRestarted(spec.template ?? {}, 'ReplicaSet', 'spec.template'),
    ...(old === undefined ? [] : validateUnchangedSelector(spec.selector, old.spec.selector)),
  ],
  columns: [
    nameColumn,
    countColumn(
      'Desired',
      'Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/#what-is-a-replicationcontroller',
    ),
    countColumn(
      'Current',
      'Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller/#what-is-a-replicationcontroller',
    ),
    countColumn('Ready', 'The number of ready replicas for this replica set.'),
    ageColumn,
    ...containerColumns,
    wideColumn(
      'Selector',
      'Selector is a label query over pods that should match the replica count. If the selector is empty, it is defaulted to the labels present on the pod template. Label keys and values that must match in order to be controlled by this replica set. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
    ),
  ],
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
