/** DaemonSet. */
import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy } from 'kubernetes-types/apps/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import { type FieldError, invalid, notSupported, required, type Stored } from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { goIntOrString, goSelector } from './go-text.ts'
import { isEmptySelector, validateLabelSelector } from './label-selector-validation.ts'
import {
  isZeroCount,
  validateAtMostAll,
  validateCountOrPercent,
  validateNonnegative,
} from './number-validation.ts'
import { defaultTemplate } from './pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from './pod-template-validation.ts'
import { ageCell, ageColumn, labelsText, nameColumn, textColumn } from './standard-columns.ts'
import {
  containerCells,
  containerColumns,
  countColumn,
  selectorCell,
  selectorColumn,
} from './workload-columns.ts'

/** Where the API keeps the count of templates, which had a field of its own in older versions. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const setTemplateGeneration = (set: Stored<DaemonSet>, generation: number): void => {
  set.metadata.annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) }
}

const validateStrategy = ({ type, rollingUpdate }: DaemonSetUpdateStrategy): FieldError[] => {
  const field = 'spec.updateStrategy.rollingUpdate'
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate')
    return [notSupported('spec.updateStrategy.type', type ?? '', ['RollingUpdate', 'OnDelete'])]
  if (rollingUpdate === undefined) return [required(field)]
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate
  const errors = [
    ...validateCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateAtMostAll(maxUnavailable, `${field}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...validateAtMostAll(maxSurge, `${field}.maxSurge`),
  ]
  if (isZeroCount(maxUnavailable) && isZeroCount(maxSurge))
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'))
  if (!isZeroCount(maxUnavailable) && !isZeroCount(maxSurge))
    errors.push(
      invalid(`${field}.maxSurge`, goIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero'),
    )
  return errors
}

const validateSpec = (spec: DaemonSetSpec): FieldError[] => [
  ...validateLabelSelector(spec.selector, 'spec.selector'),
  ...validateSelectorMatch(spec.selector, spec.template),
  ...(spec.selector !== undefined && isEmptySelector(spec.selector)
    ? [invalid('spec.selector', goSelector(spec.selector), 'empty selector is invalid for daemonset')]
    : []),
  ...validateTemplate(spec.template, 'spec.template'),
  ...validateAlwaysRestarted(spec.template, 'DaemonSet', 'spec.template'),
  ...validateNonnegative(spec.minReadySeconds, 'spec.minReadySeconds'),
  ...validateStrategy(spec.updateStrategy ?? {}),
  ...validateNonnegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
]

export const daemonSets = defineKind<DaemonSet>({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  singular: 'daemonset',
  shortNames: ['ds'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  defaults(set) {
    set.spec ??= {} as DaemonSetSpec
    const { spec } = set
    spec.template = defaultTemplate(spec.template)
    spec.updateStrategy ??= {}
    spec.updateStrategy.type ||= 'RollingUpdate'
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate ??= {}
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0
    }
    spec.revisionHistoryLimit ??= 10
    // Whoever makes the set comes to own the count, as he would if it were still a field.
    if (set.metadata.annotations?.[TEMPLATE_GENERATION] === undefined) setTemplateGeneration(set, 0)
  },
  prepareCreate(set) {
    setTemplateGeneration(set, 1)
    set.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    }
  },
  prepareUpdate(set, old) {
    const generation = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1)
    setTemplateGeneration(set, deepEqual(set.spec.template, old.spec.template) ? generation : generation + 1)
  },
  validate: ({ spec }, old) => [
    ...validateSpec(spec),
    ...(old === undefined ? [] : validateUnchangedSelector(spec.selector, old.spec.selector)),
  ],
  columns: [
    nameColumn,
    countColumn('Desired', 'Nodes that should run a pod.'),
    countColumn('Current', 'Nodes that run one.'),
    countColumn('Ready', 'Nodes whose pod is ready.'),
    countColumn('Up-to-date', 'Nodes whose pod is made from the current template.'),
    countColumn('Available', 'Nodes whose pod has been ready for long enough.'),
    textColumn('Node Selector', 'Labels a node must have.'),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  row: ({ status, spec, ...set }, context) => [
    set.metadata.name,
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    labelsText(spec.template.spec?.nodeSelector),
    ageCell(set, context),
    ...containerCells(spec.template.spec),
    selectorCell(spec.selector),
  ],
})
