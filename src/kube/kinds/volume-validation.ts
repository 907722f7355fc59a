/** Checks of a pod's volumes. */
import type { Volume } from 'kubernetes-types/core/v1.d.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  nameProblems,
  notSupported,
  parseQuantity,
  required,
} from '../meta/index.ts'
import { validateNoBacksteps } from './path-validation.ts'
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

const needs = (value: string | undefined, field: string): FieldError[] =>
  (value ?? '') === '' ? [required(field)] : []

/** Checks by type of volume, in the order in which the server looks for them. */
const SOURCES: Readonly<Record<string, (volume: Volume, field: string) => FieldError[]>> = {
  emptyDir: ({ emptyDir }, field) =>
    parseQuantity(emptyDir?.sizeLimit).nano < 0n
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
  gitRepo: ({ gitRepo }, field) => needs(gitRepo?.repository, `${field}.repository`),
  gcePersistentDisk: ({ gcePersistentDisk }, field) => needs(gcePersistentDisk?.pdName, `${field}.pdName`),
  awsElasticBlockStore: (volume, field) => needs(volume.awsElasticBlockStore?.volumeID, `${field}.volumeID`),
  secret: ({ secret }, field) => [
    ...needs(secret?.secretName, `${field}.secretName`),
    ...validateMode(secret?.defaultMode, `${field}.defaultMode`),
    ...validateItems(secret?.items, field),
  ],
  nfs: ({ nfs }, field) => [
    ...needs(nfs?.server, `${field}.server`),
    ...needs(nfs?.path, `${field}.path`),
    ...((nfs?.path ?? '/').startsWith('/')
      ? []
      : [invalid(`${field}.path`, nfs?.path, 'must be an absolute path')]),
  ],
  iscsi: ({ iscsi }, field) => [
    ...needs(iscsi?.targetPortal, `${field}.targetPortal`),
    ...needs(iscsi?.iqn, `${field}.iqn`),
  ],
  glusterfs: () => [],
  flocker: () => [],
  persistentVolumeClaim: ({ persistentVolumeClaim }, field) =>
    needs(persistentVolumeClaim?.claimName, `${field}.claimName`),
  rbd: () => [],
  cinder: () => [],
  cephfs: () => [],
  quobyte: () => [],
  downwardAPI: ({ downwardAPI }, field) => [
    ...validateMode(downwardAPI?.defaultMode, `${field}.defaultMode`),
    ...(downwardAPI?.items ?? []).flatMap((file) => validateDownwardFile(file, field)),
  ],
  fc: () => [],
  flexVolume: ({ flexVolume }, field) => needs(flexVolume?.driver, `${field}.driver`),
  configMap: ({ configMap }, field) => [
    ...needs(configMap?.name, `${field}.name`),
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
  csi: ({ csi }, field) => needs(csi?.driver, `${field}.driver`),
  ephemeral: ({ ephemeral }, field) =>
    ephemeral?.volumeClaimTemplate === undefined ? [required(`${field}.volumeClaimTemplate`)] : [],
  image: () => [],
}

const validateSource = (volume: Volume, field: string): FieldError[] => {
  const given = Object.keys(SOURCES).filter((type) => volume[type as keyof Volume] !== undefined)
  if (given.length === 0) return [required(field, 'must specify a volume type')]
  return given.flatMap((type, index) =>
    index === 0
      ? SOURCES[type]!(volume, `${field}.${type}`)
      : [forbiddenField(`${field}.${type}`, 'may not specify more than 1 volume type')],
  )
}

/** The findings, and the good volumes by name, which are those that containers can mount. */
export const validateVolumes = (
  volumes: readonly Volume[] | undefined,
  field: string,
): { errors: FieldError[]; good: ReadonlyMap<string, Volume> } => {
  const errors: FieldError[] = []
  const good = new Map<string, Volume>()
  volumes?.forEach((volume, index) => {
    const at = `${field}[${index}]`
    const name = volume.name ?? ''
    const own = [
      ...validateSource(volume, at),
      ...(name === ''
        ? [required(`${at}.name`)]
        : nameProblems(name, 'label').map((problem) => invalid(`${at}.name`, name, problem))),
      ...(good.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ]
    if (own.length === 0) good.set(name, volume)
    errors.push(...own)
  })
  return { errors, good }
}
