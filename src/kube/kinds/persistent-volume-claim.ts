/** PersistentVolumeClaim. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  compareQuantities,
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
} from '../meta/index.ts'
import { accessModesText, validateAccessModes } from './access-modes.ts'
import { defineKind } from './define-kind.ts'
import { validateLabelSelector } from './label-selector-validation.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from './standard-columns.ts'

type Claim = Stored<PersistentVolumeClaim>

/** The annotation by which the scheduler names the node on which a volume must be had. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

const VOLUME_MODES = ['Block', 'Filesystem']
const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

const sizeOf = (spec: PersistentVolumeClaimSpec): string | undefined => spec.resources?.requests?.storage

const validateSpec = (spec: PersistentVolumeClaimSpec): FieldError[] => {
  const { accessModes = [], storageClassName = '', volumeMode = '' } = spec
  const size = sizeOf(spec)
  return [
    ...(accessModes.length === 0 ? [required('spec.accessModes', 'at least 1 access mode is required')] : []),
    ...(spec.selector === undefined ? [] : validateLabelSelector(spec.selector, 'spec.selector')),
    ...validateAccessModes(accessModes, 'spec.accessModes'),
    ...(size === undefined
      ? [required('spec.resources[storage]')]
      : compareQuantities(size, '0') <= 0
        ? [invalid('spec.resources[storage]', size, 'must be greater than zero')]
        : []),
    ...(storageClassName === ''
      ? []
      : nameProblems(storageClassName, 'subdomain').map((problem) =>
          invalid('spec.storageClassName', storageClassName, problem),
        )),
    ...(VOLUME_MODES.includes(volumeMode) ? [] : [notSupported('spec.volumeMode', volumeMode, VOLUME_MODES)]),
  ]
}

/** The new spec with everything that may change put back, to see whether anything else has changed. */
const withoutAllowedChanges = (claim: Claim, old: Claim): PersistentVolumeClaimSpec => {
  const spec: PersistentVolumeClaimSpec = { ...claim.spec }
  if ((old.spec.volumeName ?? '') === '') delete spec.volumeName
  if (old.spec.storageClassName === undefined) delete spec.storageClassName
  const size = sizeOf(old.spec)
  if (claim.status.phase !== 'Bound') return spec
  if (size !== undefined) {
    spec.resources = { ...spec.resources, requests: { ...spec.resources?.requests, storage: size } }
  }
  if (old.spec.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName
  else spec.volumeAttributesClassName = old.spec.volumeAttributesClassName
  return spec
}

const withoutEmptyName = (spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec => {
  const { volumeName = '', ...rest } = spec
  return volumeName === '' ? rest : spec
}

const validateChange = (claim: Claim, old: Claim): FieldError[] => {
  const [size, before] = [sizeOf(claim.spec) ?? '0', sizeOf(old.spec) ?? '0']
  const capacity = old.status.capacity?.storage ?? '0'
  const same = deepEqual(withoutAllowedChanges(claim, old), withoutEmptyName(old.spec))
  return [
    ...(same ? [] : [forbiddenField('spec', IMMUTABLE)]),
    ...(compareQuantities(size, before) < 0 && compareQuantities(size, capacity) <= 0
      ? [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')]
      : []),
    ...(claim.spec.volumeMode === old.spec.volumeMode
      ? []
      : [invalid('spec.volumeMode', claim.spec.volumeMode, 'field is immutable')]),
  ]
}

export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
  shortNames: ['pvc'],
  namespaced: true,
  hasStatus: true,
  returnsDeleted: true,
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { phase: 'Pending', ...draft.status }
    draft.spec.resources ??= {}
    draft.spec.volumeMode ??= 'Filesystem'
  },
  prepareCreate: (draft) => {
    draft.status = { phase: 'Pending' }
  },
  validate: (claim, old) => [
    ...validateSpec(claim.spec),
    ...(old === undefined ? [] : validateChange(claim, old)),
  ],
  columns: [
    nameColumn,
    textColumn('Status', 'Phase of the claim.'),
    textColumn('Volume', 'Volume that it is bound to.'),
    textColumn('Capacity', 'Size of that volume.'),
    textColumn('Access Modes', 'How that volume may be mounted.'),
    textColumn('StorageClass', 'Class of storage that it asks for.'),
    textColumn('VolumeAttributesClass', 'Class of attributes that it asks for.'),
    ageColumn,
    wideColumn('VolumeMode', 'Whether it is a filesystem or a block device.'),
  ],
  row: (claim, context) => {
    const bound = (claim.spec.volumeName ?? '') !== ''
    return [
      claim.metadata.name,
      claim.metadata.deletionTimestamp === undefined ? (claim.status.phase ?? '') : 'Terminating',
      claim.spec.volumeName ?? '',
      bound ? (claim.status.capacity?.storage ?? '0') : '',
      bound ? accessModesText(claim.status.accessModes) : '',
      claim.spec.storageClassName ?? '',
      claim.spec.volumeAttributesClassName ?? '<unset>',
      ageCell(claim, context),
      claim.spec.volumeMode ?? '<unset>',
    ]
  },
})
