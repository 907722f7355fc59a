/** Validates the volumes of a pod. */
import type { Volume } from 'kubernetes-types/core/v1.d.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  quantityOrZero,
  required,
} from '#platform/kube/meta'
import { validateNoBacksteps } from '../../validation/path-validation.ts'
import { validateProjected } from './projected-volume-validation.ts'
import { validateDownwardFile, validateItems, validateMode } from './volume-file-validation.ts'

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

const validateNotEmpty = (value: string | undefined, field: string): FieldError[] =>
  (value ?? '') === '' ? [required(field)] : []

/** The check for each volume type, in the order of kube-apiserver. */
const SOURCE_CHECKS: Readonly<Record<string, (volume: Volume, field: string) => FieldError[]>> = {
  emptyDir: ({ emptyDir }, field) =>
    quantityOrZero(emptyDir?.sizeLimit).nano < 0n
      ? [forbiddenField(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : [],
  hostPath: ({ hostPath }, field) => {
    const { path = '', type = '' } = hostPath!
    if (path === '') return [required(`${field}.path`)]
    return [
      ...validateNoBacksteps(path, `${field}.path`),
      ...(HOST_PATH_TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
    ]
  },
  gitRepo: ({ gitRepo }, field) => validateNotEmpty(gitRepo?.repository, `${field}.repository`),
  gcePersistentDisk: ({ gcePersistentDisk }, field) =>
    validateNotEmpty(gcePersistentDisk?.pdName, `${field}.pdName`),
  awsElasticBlockStore: (volume, field) =>
    validateNotEmpty(volume.awsElasticBlockStore?.volumeID, `${field}.volumeID`),
  secret: ({ secret }, field) => [
    ...validateNotEmpty(secret?.secretName, `${field}.secretName`),
    ...validateMode(secret?.defaultMode, `${field}.defaultMode`),
    ...validateItems(secret?.items, field),
  ],
  nfs: ({ nfs }, field) => [
    ...validateNotEmpty(nfs?.server, `${field}.server`),
    ...validateNotEmpty(nfs?.path, `${field}.path`),
    ...((nfs?.path ?? '/').startsWith('/')
      ? []
      : [invalid(`${field}.path`, nfs?.path, 'must be an absolute path')]),
  ],
  iscsi: ({ iscsi }, field) => [
    ...validateNotEmpty(iscsi?.targetPortal, `${field}.targetPortal`),
    ...validateNotEmpty(iscsi?.iqn, `${field}.iqn`),
  ],
  glusterfs: () => [],
  flocker: () => [],
  persistentVolumeClaim: ({ persistentVolumeClaim }, field) =>
    validateNotEmpty(persistentVolumeClaim?.claimName, `${field}.claimName`),
  rbd: () => [],
  cinder: () => [],
  cephfs: () => [],
  quobyte: () => [],
  downwardAPI: ({ downwardAPI }, field) => [
    ...validateMode(downwardAPI?.defaultMode, `${field}.defaultMode`),
    ...(downwardAPI?.items ?? []).flatMap((file) => validateDownwardFile(file, field)),
  ],
  fc: () => [],
  flexVolume: ({ flexVolume }, field) => validateNotEmpty(flexVolume?.driver, `${field}.driver`),
  configMap: ({ configMap }, field) => [
    ...validateNotEmpty(configMap?.name, `${field}.name`),
    ...validateMode(configMap?.defaultMode, `${field}.defaultMode`),
    ...validateItems(configMap?.items, field),
  ],
  azureFile: () => [],
  vsphereVolume: () => [],
  photonPersistentDisk: () => [],
  portworxVolume: () => [],
  azureDisk: () => [],
  storageos: () => [],
  projected: ({ projected }, field) => validateProjected(projected!, field),
  scaleIO: () => [],
  csi: ({ csi }, field) => validateNotEmpty(csi?.driver, `${field}.driver`),
  ephemeral: ({ ephemeral }, field) =>
    ephemeral?.volumeClaimTemplate === undefined ? [required(`${field}.volumeClaimTemplate`)] : [],
  image: () => [],
}

const validateSource = (volume: Volume, field: string): FieldError[] => {
  const specified = Object.keys(SOURCE_CHECKS).filter((type) => volume[type as keyof Volume] !== undefined)
  if (specified.length === 0) return [required(field, 'must specify a volume type')]
  return specified.flatMap((type, index) =>
    index === 0
      ? SOURCE_CHECKS[type]!(volume, `${field}.${type}`)
      : [forbiddenField(`${field}.${type}`, 'may not specify more than 1 volume type')],
  )
}

/** Returns the errors, and the valid volumes by name, which containers can mount. */
export const validateVolumes = (
  volumes: readonly Volume[] | undefined,
  field: string,
): { errors: FieldError[]; valid: ReadonlyMap<string, Volume> } => {
  const errors: FieldError[] = []
  const valid = new Map<string, Volume>()
  volumes?.forEach((volume, index) => {
    const volumeField = `${field}[${index}]`
    const name = volume.name ?? ''
    const volumeErrors = [
      ...validateSource(volume, volumeField),
      ...(name === ''
        ? [required(`${volumeField}.name`)]
        : nameProblems(name, 'label').map((problem) => invalid(`${volumeField}.name`, name, problem))),
      ...(valid.has(name) ? [duplicate(`${volumeField}.name`, name)] : []),
    ]
    if (volumeErrors.length === 0) valid.set(name, volume)
    errors.push(...volumeErrors)
  })
  return { errors, valid }
}
