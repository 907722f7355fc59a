/** ReplicationController. */
import type { ReplicationController } from 'kubernetes-types/core/v1.d.ts'
import { goStringMap, hasLabels, invalid, required } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateNonnegative } from './number-validation.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'
import { validateAlwaysRestarted, validateTemplate } from './pod-template-validation.ts'
import { ageCell, ageColumn, labelsText, nameColumn } from './standard-columns.ts'
import { containerCells, containerColumns, replicaColumns, selectorColumn } from './workload-columns.ts'

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
  columns: [nameColumn, ...replicaColumns, ageColumn, ...containerColumns, selectorColumn],
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
