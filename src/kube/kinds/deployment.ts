/** Deployment. */
import type { Deployment, DeploymentSpec, DeploymentStrategy } from 'kubernetes-types/apps/v1.d.ts'
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { goIntOrString } from './go-text.ts'
import {
  isZeroCount,
  validateAtMostAll,
  validateCountOrPercent,
  validateNonnegative,
} from './number-validation.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from './pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'
import { containerCells, containerColumns, selectorCell, selectorColumn } from './workload-columns.ts'

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
    ...validateAtMostAll(maxUnavailable, `${field}.maxUnavailable`),
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
    textColumn('Ready', 'Pods that are ready, of those wanted.'),
    textColumn('Up-to-date', 'Pods made from the current template.'),
    textColumn('Available', 'Pods that have been ready for long enough.'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
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
