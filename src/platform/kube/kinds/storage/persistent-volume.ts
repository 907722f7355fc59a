/** The PersistentVolume kind. */
import type { PersistentVolume, PersistentVolumeSpec } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  compareQuantities,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  type Stored,
  toTime,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { accessModesText, validateAccessModes } from './access-modes.ts'

/** The volume sources. Exactly one of these fields is set. */
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
    textColumn(
      'Capacity',
      "capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
    ),
    textColumn(
      'Access Modes',
      'accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes',
    ),
    textColumn(
      'Reclaim Policy',
      'persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming',
    ),
    textColumn(
      'Status',
      'phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase',
    ),
    textColumn(
      'Claim',
      'claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding',
    ),
    textColumn('StorageClass', 'StorageClass of the pv'),
    textColumn('VolumeAttributesClass', 'VolumeAttributesClass of the pv'),
    textColumn(
      'Reason',
      'reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.',
    ),
    ageColumn,
    wideColumn(
      'VolumeMode',
      'volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.',
    ),
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
