/** The StatefulSet kind. */
import type { StatefulSet, StatefulSetSpec } from 'kubernetes-types/apps/v1.d.ts'
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  validateAnnotations,
  validateLabels,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { canonicalize } from '../pods/container-defaults.ts'
import { defaultTemplate, withNullTime } from '../pods/pod-spec-defaults.ts'
import {
  validateAlwaysRestarted,
  validateRequiredSelector,
  validateSelectorMatch,
} from '../pods/pod-template-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { goStruct } from '../validation/go-text.ts'
import { validateNonnegative } from '../validation/number-validation.ts'
import { containerCells, containerColumns } from './workload-columns.ts'

const MUTABLE_FIELDS = [
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

/**
 * Checks only the template's labels, annotations and restart policy, as kube-apiserver does. The pods are
 * fully validated when they are created.
 */
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

const immutablePart = (spec: StatefulSetSpec): object => {
  const immutable: Partial<StatefulSetSpec> = { ...spec }
  for (const member of MUTABLE_FIELDS) delete immutable[member]
  return immutable
}

const validateChange = (spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] =>
  deepEqual(immutablePart(spec), immutablePart(old))
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
    textColumn('Ready', 'Number of the pod with ready state'),
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
