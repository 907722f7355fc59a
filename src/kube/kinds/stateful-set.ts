/** StatefulSet. */
import type { StatefulSet, StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  validateAnnotations,
  validateLabels,
} from '../meta/index.ts'
import { canonicalize } from './container-defaults.ts'
import { defineKind } from './define-kind.ts'
import { goStruct } from './go-text.ts'
import { validateNonnegative } from './number-validation.ts'
import { defaultTemplate, withNullTime } from './pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
} from './pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from './standard-columns.ts'
import { containerCells, containerColumns } from './workload-columns.ts'

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const

const defaultClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
  const spec = claim.spec ?? {}
  spec.volumeMode ??= 'Filesystem'
  canonicalize(spec.resources?.requests)
  canonicalize(spec.resources?.limits)
  return {
    ...claim,
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: withNullTime(claim.metadata),
    spec,
    status: { ...claim.status, phase: claim.status?.phase ?? 'Pending' },
  }
}

const defaultSpec = (spec: StatefulSetSpec): void => {
  spec.podManagementPolicy ||= 'OrderedReady'
  spec.updateStrategy ??= {}
  spec.updateStrategy.type ||= 'RollingUpdate'
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {}
    spec.updateStrategy.rollingUpdate.partition ??= 0
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {}
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain'
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain'
  spec.replicas ??= 1
  spec.revisionHistoryLimit ??= 10
  spec.template = defaultTemplate(spec.template)
  if (spec.volumeClaimTemplates !== undefined)
    spec.volumeClaimTemplates = spec.volumeClaimTemplates.map(defaultClaim)
}

const validateStrategy = (strategy: NonNullable<StatefulSetSpec['updateStrategy']>): FieldError[] => {
  const { type, rollingUpdate } = strategy
  const field = 'spec.updateStrategy'
  if (type === 'RollingUpdate')
    return validateNonnegative(rollingUpdate?.partition, `${field}.rollingUpdate.partition`)
  if (type !== 'OnDelete')
    return [
      invalid(
        field,
        goStruct('apps.StatefulSetUpdateStrategy', strategy),
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    ]
  return rollingUpdate === undefined
    ? []
    : [
        invalid(
          `${field}.rollingUpdate`,
          goStruct('apps.RollingUpdateStatefulSetStrategy', rollingUpdate),
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      ]
}

const validateRetention = (spec: StatefulSetSpec): FieldError[] =>
  (['whenDeleted', 'whenScaled'] as const).flatMap((member) => {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[member] ?? 'Retain'
    return policy === 'Retain' || policy === 'Delete'
      ? []
      : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${member}`, policy, ['Retain', 'Delete'])]
  })

/** Of the template only labels, annotations and restarts are looked at: the pods it makes are checked in full. */
const validateSpec = (spec: StatefulSetSpec): FieldError[] => {
  const { podManagementPolicy: policy = '', template } = spec
  return [
    ...(policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...validateStrategy(spec.updateStrategy ?? {}),
    ...validateRetention(spec),
    ...validateNonnegative(spec.replicas, 'spec.replicas'),
    ...validateNonnegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateNonnegative(spec.ordinals?.start, 'spec.ordinals.start'),
    ...validateRequiredSelector(spec.selector, 'statefulset'),
    ...validateSelectorMatch(spec.selector, template),
    ...validateLabels(template.metadata?.labels, 'spec.template.labels'),
    ...validateAnnotations(template.metadata?.annotations, 'spec.template.annotations'),
    ...validateAlwaysRestarted(template, 'StatefulSet', 'spec.template'),
    ...validateNonnegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ]
}

const fixedPart = (spec: StatefulSetSpec): object => {
  const fixed: Partial<StatefulSetSpec> = { ...spec }
  for (const member of CHANGEABLE) delete fixed[member]
  return fixed
}

const validateChange = (spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] =>
  deepEqual(fixedPart(spec), fixedPart(old))
    ? []
    : [
        forbiddenField(
          'spec',
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      ]

export const statefulSets = defineKind<StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  hasStatus: true,
  hasGeneration: true,
  scale: { spec: 'spec.replicas', status: 'status.replicas', selector: 'spec.selector' },
  defaults(set) {
    set.spec ??= {} as StatefulSetSpec
    defaultSpec(set.spec)
  },
  prepareCreate(set) {
    set.status = { replicas: 0, availableReplicas: 0 }
  },
  validate: ({ spec }, old) => [
    ...validateSpec(spec),
    ...(old === undefined ? [] : validateChange(spec, old.spec)),
  ],
  columns: [
    nameColumn,
    textColumn('Ready', 'Pods that are ready, of those wanted.'),
    ageColumn,
    ...containerColumns,
  ],
  row: (set, context) => [
    set.metadata.name,
    `${set.status.readyReplicas ?? 0}/${set.spec.replicas ?? 0}`,
    ageCell(set, context),
    ...containerCells(set.spec.template.spec),
  ],
})
