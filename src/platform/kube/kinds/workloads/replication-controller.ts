/** The ReplicationController kind. */
import type { ReplicationController } from 'kubernetes-types/core/v1.d.ts'
import { goStringMap, hasLabels, invalid, required } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'
import { validateAlwaysRestarted, validateTemplate } from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, labelsText, nameColumn, wideColumn } from '../standard-columns.ts'
import { validateNonnegative } from '../validation/number-validation.ts'
import { containerCells, containerColumns, countColumn } from './workload-columns.ts'

const isEmpty = (labels: object | undefined): boolean => Object.keys(labels ?? {}).length === 0

export const replicationControllers = defineKind<ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  singular: 'replicationcontroller',
  shortNames: ['rc'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  defaultPropagation: 'Orphan',
  scale: { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' },
  defaults(controller) {
    controller.spec ??= {}
    const { metadata, spec } = controller
    spec.replicas ??= 1
    if (spec.template === undefined) return
    spec.template = defaultTemplate(spec.template)
    const labels = spec.template.metadata?.labels
    if (isEmpty(labels)) return
    if (isEmpty(spec.selector)) spec.selector = { ...labels }
    if (isEmpty(metadata.labels)) metadata.labels = { ...labels }
  },
  prepareCreate(controller) {
    controller.status = { replicas: 0 }
  },
  validate: ({ spec }) => {
    const labels = spec.template?.metadata?.labels
    return [
      ...validateNonnegative(spec.minReadySeconds, 'spec.minReadySeconds'),
      ...(isEmpty(spec.selector) ? [required('spec.selector')] : []),
      ...validateNonnegative(spec.replicas, 'spec.replicas'),
      ...(spec.template === undefined
        ? [required('spec.template')]
        : [
            ...(hasLabels(labels, spec.selector ?? {})
              ? []
              : [
                  invalid(
                    'spec.template.metadata.labels',
                    goStringMap(labels),
                    '`selector` does not match template `labels`',
                  ),
                ]),
            ...validateTemplate(spec.template, 'spec.template'),
            ...validateAlwaysRestarted(spec.template, 'ReplicationController', 'spec.template'),
          ]),
    ]
  },
  columns: [
    nameColumn,
    countColumn(
      'Desired',
      'Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller',
    ),
    countColumn(
      'Current',
      'Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller',
    ),
    countColumn('Ready', 'The number of ready replicas for this replication controller.'),
    ageColumn,
    ...containerColumns,
    wideColumn(
      'Selector',
      'Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
    ),
  ],
  row: (controller, context) => [
    controller.metadata.name,
    controller.spec.replicas ?? 0,
    controller.status.replicas,
    controller.status.readyReplicas ?? 0,
    ageCell(controller, context),
    ...containerCells(controller.spec.template?.spec),
    labelsText(controller.spec.selector),
  ],
  selectableFields: ({ status }) => ({ 'status.replicas': String(status.replicas) }),
})
