/** The DaemonSet kind. */
import type { DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy } from 'kubernetes-types/apps/v1.d.ts'
import { deepEqual } from '#kit'
import { type FieldError, invalid, notSupported, required, type Stored } from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { defaultTemplate } from '../pods/pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateSelectorMatch,
  validateTemplate,
  validateUnchangedSelector,
} from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, labelsText, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { goIntOrString, goSelector } from '../validation/go-text.ts'
import { isEmptySelector, validateLabelSelector } from '../validation/label-selector-validation.ts'
import {
  isZeroCount,
  validateAtMost100Percent,
  validateCountOrPercent,
  validateNonnegative,
} from '../validation/number-validation.ts'
import { containerCells, containerColumns, countColumn, selectorCell } from './workload-columns.ts'

/** The annotation that counts template changes. It was a field in older API versions. */
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
    ...validateAtMost100Percent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...validateAtMost100Percent(maxSurge, `${field}.maxSurge`),
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
    // Set as a default, so that the creator of the set owns the annotation, as on a real server.
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
    countColumn(
      'Desired',
      'The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
    ),
    countColumn(
      'Current',
      'The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
    ),
    countColumn(
      'Ready',
      'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and ready.',
    ),
    countColumn('Up-to-date', 'The total number of nodes that are running updated daemon pod'),
    countColumn(
      'Available',
      'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)',
    ),
    textColumn(
      'Node Selector',
      "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
    ),
    ageColumn,
    ...containerColumns,
    wideColumn(
      'Selector',
      'A label query over pods that are managed by the daemon set. Must match in order to be controlled. If empty, defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
    ),
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
