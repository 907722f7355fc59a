/** The Deployment kind. */
import type { Deployment, DeploymentSpec, DeploymentStrategy } from 'kubernetes-types/apps/v1.d.ts'
import { type FieldError, forbiddenField, invalid, notSupported, required } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { goIntOrString } from '../validation/go-text.ts'
import {
  isZeroCount,
  validateAtMost100Percent,
  validateCountOrPercent,
  validateNonnegative,
} from '../validation/number-validation.ts'
import { containerCells, containerColumns, selectorCell } from './workload-columns.ts'

const defaultStrategy = (strategy: DeploymentStrategy): void => {
  strategy.type ||= 'RollingUpdate'
  if (strategy.type !== 'RollingUpdate') return
  strategy.rollingUpdate ??= {}
  strategy.rollingUpdate.maxUnavailable ??= '25%'
  strategy.rollingUpdate.maxSurge ??= '25%'
}

const validateStrategy = ({ type, rollingUpdate }: DeploymentStrategy): FieldError[] => {
  const field = 'spec.strategy.rollingUpdate'
  if (type === 'Recreate')
    return rollingUpdate === undefined
      ? []
      : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")]
  if (type !== 'RollingUpdate')
    return [notSupported('spec.strategy.type', type ?? '', ['Recreate', 'RollingUpdate'])]
  if (rollingUpdate === undefined) return [required(field, 'this should be defaulted and never be nil')]
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  return [
    ...validateCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...(isZeroCount(maxUnavailable) && isZeroCount(maxSurge)
      ? [
          invalid(
            `${field}.maxUnavailable`,
            goIntOrString(maxUnavailable),
            'may not be 0 when `maxSurge` is 0',
          ),
        ]
      : []),
    ...validateAtMost100Percent(maxUnavailable, `${field}.maxUnavailable`),
  ]
}

const validateSpec = (spec: DeploymentSpec): FieldError[] => {
  const { selector, template, minReadySeconds = 0, progressDeadlineSeconds: deadline = 0 } = spec
  return [
    ...validateNonnegative(spec.replicas, 'spec.replicas'),
    ...validateRequiredSelector(selector, 'deployment'),
    ...validateSelectorMatch(selector, template),
    ...validateTemplate(template, 'spec.template'),
    ...validateAlwaysRestarted(template, 'ReplicaSet', 'spec.template'),
    ...validateStrategy(spec.strategy ?? {}),
    ...validateNonnegative(minReadySeconds, 'spec.minReadySeconds'),
    ...validateNonnegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...validateNonnegative(deadline, 'spec.progressDeadlineSeconds'),
    ...(deadline <= minReadySeconds
      ? [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ]
}

export const deployments = defineKind<Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  singular: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  scale: { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' },
  defaults(deployment) {
    deployment.spec ??= {} as DeploymentSpec
    const { spec } = deployment
    spec.replicas ??= 1
    spec.template = defaultTemplate(spec.template)
    spec.strategy ??= {}
    defaultStrategy(spec.strategy)
    spec.revisionHistoryLimit ??= 10
    spec.progressDeadlineSeconds ??= 600
  },
  prepareCreate(deployment) {
    deployment.status = {}
  },
  validate: ({ spec }, old) => [
    ...validateSpec(spec),
    ...(old === undefined ? [] : validateUnchangedSelector(spec.selector, old.spec.selector)),
  ],
  columns: [
    nameColumn,
    textColumn('Ready', 'Number of the pod with ready state'),
    textColumn(
      'Up-to-date',
      'Total number of non-terminated pods targeted by this deployment that have the desired template spec.',
    ),
    textColumn(
      'Available',
      'Total number of available pods (ready for at least minReadySeconds) targeted by this deployment.',
    ),
    ageColumn,
    ...containerColumns,
    wideColumn(
      'Selector',
      'Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment.',
    ),
  ],
  row: (deployment, context) => [
    deployment.metadata.name,
    `${deployment.status.readyReplicas ?? 0}/${deployment.spec.replicas ?? 0}`,
    deployment.status.updatedReplicas ?? 0,
    deployment.status.availableReplicas ?? 0,
    ageCell(deployment, context),
    ...containerCells(deployment.spec.template.spec),
    selectorCell(deployment.spec.selector),
  ],
})
