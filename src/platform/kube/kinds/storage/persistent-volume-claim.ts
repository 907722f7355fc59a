/** The PersistentVolumeClaim kind. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  compareQuantities,
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  required,
  type Stored,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'
import { accessModesText, validateAccessModes } from './access-modes.ts'

type Claim = Stored<PersistentVolumeClaim>

/** The annotation with which the scheduler selects the node of a volume. */
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

/** Returns the new spec with all allowed changes reverted. Any remaining difference is forbidden. */
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

const withoutEmptyVolumeName = (spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec => {
  const { volumeName = '', ...rest } = spec
  return volumeName === '' ? rest : spec
}

const validateChange = (claim: Claim, old: Claim): FieldError[] => {
  const [size, before] = [sizeOf(claim.spec) ?? '0', sizeOf(old.spec) ?? '0']
  const capacity = old.status.capacity?.storage ?? '0'
  const isUnchanged = deepEqual(withoutAllowedChanges(claim, old), withoutEmptyVolumeName(old.spec))
  return [
    ...(isUnchanged ? [] : [forbiddenField('spec', IMMUTABLE)]),
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
    textColumn('Status', 'phase represents the current phase of PersistentVolumeClaim.'),
    textColumn('Volume', 'volumeName is the binding reference to the PersistentVolume backing this claim.'),
    textColumn('Capacity', 'capacity represents the actual resources of the underlying volume.'),
    textColumn(
      'Access Modes',
      'accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1',
    ),
    textColumn('StorageClass', 'StorageClass of the pvc'),
    textColumn('VolumeAttributesClass', 'VolumeAttributesClass of the pvc'),
    ageColumn,
    wideColumn(
      'VolumeMode',
      'volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.',
    ),
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
