/** PersistentVolume. */
import type { PersistentVolume, PersistentVolumeSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '../../kit/index.ts'
import {
  compareQuantities,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  type Stored,
  toTime,
} from '../meta/index.ts'
import { accessModesText, validateAccessModes } from './access-modes.ts'
import { defineKind } from './define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from './standard-columns.ts'

/** Fields of the spec that say where the data really is: exactly one of them is set. */
const SOURCES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
] as const satisfies readonly (keyof PersistentVolumeSpec)[]

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain']

const sourcesOf = (spec: PersistentVolumeSpec): (typeof SOURCES)[number][] =>
  SOURCES.filter((source) => spec[source] !== undefined)

const validateSource = (spec: PersistentVolumeSpec): FieldError[] => {
  const sources = sourcesOf(spec)
  if (sources.length === 0) return [required('spec', 'must specify a volume type')]
  return [
    ...sources
      .slice(1)
      .map((source) => forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type')),
    ...(spec.hostPath !== undefined && (spec.hostPath.path ?? '') === ''
      ? [required('spec.hostPath.path')]
      : []),
    ...(spec.hostPath?.path?.split('/').includes('..')
      ? [invalid('spec.hostPath.path', spec.hostPath.path, "must not contain '..'")]
      : []),
    ...(spec.local !== undefined && spec.nodeAffinity === undefined
      ? [required('metadata.annotations', 'Local volume requires node affinity')]
      : []),
  ]
}

const validateSpec = (spec: PersistentVolumeSpec): FieldError[] => {
  const { accessModes = [], capacity = {}, persistentVolumeReclaimPolicy: policy = '' } = spec
  const { storage } = capacity
  return [
    ...(accessModes.length === 0 ? [required('spec.accessModes')] : []),
    ...validateAccessModes(accessModes, 'spec.accessModes'),
    ...(storage === undefined ? [required('spec.capacity')] : []),
    ...(storage !== undefined && compareQuantities(storage, '0') <= 0
      ? [invalid('spec.capacity[storage]', storage, 'must be greater than zero')]
      : []),
    ...(RECLAIM_POLICIES.includes(policy)
      ? []
      : [notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES)]),
    ...validateSource(spec),
  ]
}

const validateChange = (spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] => [
  ...(SOURCES.every((source) => deepEqual(spec[source], old[source]))
    ? []
    : [
        forbiddenField(
          'spec.persistentvolumesource',
          'spec.persistentvolumesource is immutable after creation',
        ),
      ]),
  ...(spec.volumeMode === old.volumeMode
    ? []
    : [invalid('spec.volumeMode', spec.volumeMode, 'field is immutable')]),
]

const claimText = ({ spec: { claimRef } }: Stored<PersistentVolume>): string =>
  claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`

export const persistentVolumes = defineKind<PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  singular: 'persistentvolume',
  shortNames: ['pv'],
  namespaced: false,
  hasStatus: true,
  returnsDeleted: true,
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status = { phase: 'Pending', ...draft.status }
    draft.spec.persistentVolumeReclaimPolicy ??= 'Retain'
    draft.spec.volumeMode ??= 'Filesystem'
    if (draft.spec.hostPath !== undefined) draft.spec.hostPath.type ??= ''
  },
  prepareCreate: (draft, { now }) => {
    draft.status = { phase: 'Pending', lastPhaseTransitionTime: toTime(now) }
  },
  validate: ({ spec }, old) => [
    ...validateSpec(spec),
    ...(old === undefined ? [] : validateChange(spec, old.spec)),
  ],
  columns: [
    nameColumn,
    textColumn('Capacity', 'Size of the volume.'),
    textColumn('Access Modes', 'How it may be mounted.'),
    textColumn('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    textColumn('Status', 'Phase of the volume.'),
    textColumn('Claim', 'Claim that it is bound to.'),
    textColumn('StorageClass', 'Class of storage that it belongs to.'),
    textColumn('VolumeAttributesClass', 'Class of attributes that it has.'),
    textColumn('Reason', 'Why it is in its phase.'),
    ageColumn,
    wideColumn('VolumeMode', 'Whether it is a filesystem or a block device.'),
  ],
  row: (volume, context) => [
    volume.metadata.name,
    volume.spec.capacity?.storage ?? '0',
    accessModesText(volume.spec.accessModes),
    volume.spec.persistentVolumeReclaimPolicy ?? '',
    volume.metadata.deletionTimestamp === undefined ? (volume.status.phase ?? '') : 'Terminating',
    claimText(volume),
    volume.spec.storageClassName ?? '',
    volume.spec.volumeAttributesClassName ?? '<unset>',
    volume.status.reason ?? '',
    ageCell(volume, context),
    volume.spec.volumeMode ?? '<unset>',
  ],
})
