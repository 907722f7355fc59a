/** The StorageClass kind. */
import type { StorageClass } from 'kubernetes-types/storage/v1.d.ts'
import { deepEqual } from '#kit'
import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  qualifiedNameProblems,
  required,
  type Stored,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

/** The provisioner of classes whose volumes are created manually. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

/** Whether claims without a class use this one. */
export const isDefaultStorageClass = (storageClass: Stored<StorageClass>): boolean =>
  DEFAULT_ANNOTATIONS.some((key) => storageClass.metadata.annotations?.[key] === 'true')

const validateProvisioner = (provisioner: string): FieldError[] =>
  provisioner === ''
    ? [required('provisioner')]
    : qualifiedNameProblems(provisioner.toLowerCase()).map((problem) =>
        invalid('provisioner', provisioner, problem),
      )

const validateChange = (storageClass: Stored<StorageClass>, old: Stored<StorageClass>): FieldError[] => [
  ...(deepEqual(storageClass.parameters ?? {}, old.parameters ?? {})
    ? []
    : [forbiddenField('parameters', 'updates to parameters are forbidden.')]),
  ...(storageClass.provisioner === old.provisioner
    ? []
    : [forbiddenField('provisioner', 'updates to provisioner are forbidden.')]),
  ...(storageClass.reclaimPolicy === old.reclaimPolicy
    ? []
    : [forbiddenField('reclaimPolicy', 'updates to reclaimPolicy are forbidden.')]),
  ...(storageClass.volumeBindingMode === old.volumeBindingMode
    ? []
    : [invalid('volumeBindingMode', storageClass.volumeBindingMode, 'field is immutable')]),
]

export const storageClasses = defineKind<StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  singular: 'storageclass',
  shortNames: ['sc'],
  namespaced: false,
  hasStatus: false,
  defaults: (draft) => {
    draft.reclaimPolicy ??= 'Delete'
    draft.volumeBindingMode ??= 'Immediate'
  },
  validate: (storageClass, old) => [
    ...validateProvisioner(storageClass.provisioner ?? ''),
    ...(RECLAIM_POLICIES.includes(storageClass.reclaimPolicy ?? '')
      ? []
      : [notSupported('reclaimPolicy', storageClass.reclaimPolicy, RECLAIM_POLICIES)]),
    ...(BINDING_MODES.includes(storageClass.volumeBindingMode ?? '')
      ? []
      : [notSupported('volumeBindingMode', storageClass.volumeBindingMode, BINDING_MODES)]),
    ...(old === undefined ? [] : validateChange(storageClass, old)),
  ],
  columns: [
    nameColumn,
    textColumn('Provisioner', 'provisioner indicates the type of the provisioner.'),
    textColumn(
      'ReclaimPolicy',
      'reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.',
    ),
    textColumn(
      'VolumeBindingMode',
      'volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.',
    ),
    textColumn(
      'AllowVolumeExpansion',
      'allowVolumeExpansion shows whether the storage class allow volume expand.',
    ),
    ageColumn,
  ],
  row: (storageClass, context) => [
    `${storageClass.metadata.name}${isDefaultStorageClass(storageClass) ? ' (default)' : ''}`,
    storageClass.provisioner,
    storageClass.reclaimPolicy ?? 'Delete',
    storageClass.volumeBindingMode ?? 'Immediate',
    storageClass.allowVolumeExpansion ?? false,
    ageCell(storageClass, context),
  ],
})
