/** Resolves volumes from API objects: config maps, secrets, the downward API, projections and claims. */
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from 'kubernetes-types/core/v1.d.ts'
import { configMaps, persistentVolumeClaims, persistentVolumes, secrets } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { ClaimVolume, FileVolume, PodVolumes, VolumeFile } from '#platform/kube/ports'
import { fieldValue, type PodLocation, resourceValue } from '../containers/field-reference.ts'
import type { KubeletContext } from '../kubelet-context.ts'

/** A volume cannot be set up. The message becomes that of a FailedMount event. */
export class MountError extends Error {}

type Context = Pick<KubeletContext, 'client' | 'issueToken'>

interface VolumeContext {
  context: Context
  pod: Stored<Pod>
  location: PodLocation
}

interface FileSelection {
  name: string
  optional: boolean | undefined
  items: readonly KeyToPath[] | undefined
  mode: number
}

const utf8 = new TextEncoder()
const DEFAULT_MODE = 0o644

const selectFiles = (
  data: ReadonlyMap<string, () => Uint8Array>,
  { items, mode, optional }: FileSelection,
  kind: string,
): VolumeFile[] => {
  if (items === undefined) return Array.from(data, ([path, content]) => ({ path, mode, content }))
  return items.flatMap(({ key, path, mode: itemMode }) => {
    const content = data.get(key)
    if (content !== undefined) return [{ path, mode: itemMode ?? mode, content }]
    if (optional === true) return []
    throw new MountError(`references non-existent ${kind} key: ${key}`)
  })
}

const configMapFiles = ({ context, pod }: VolumeContext, selection: FileSelection): VolumeFile[] => {
  const object = context.client.get(configMaps, pod.metadata.namespace!, selection.name)
  if (object === undefined) {
    if (selection.optional === true) return []
    throw new MountError(`configmap "${selection.name}" not found`)
  }
  const data = new Map<string, () => Uint8Array>()
  for (const [key, value] of Object.entries(object.data ?? {})) data.set(key, () => utf8.encode(value))
  for (const [key, value] of Object.entries(object.binaryData ?? {}))
    data.set(key, () => Buffer.from(value, 'base64'))
  return selectFiles(data, selection, 'config')
}

const secretFiles = ({ context, pod }: VolumeContext, selection: FileSelection): VolumeFile[] => {
  const object = context.client.get(secrets, pod.metadata.namespace!, selection.name)
  if (object === undefined) {
    if (selection.optional === true) return []
    throw new MountError(`secret "${selection.name}" not found`)
  }
  const data = new Map<string, () => Uint8Array>()
  for (const [key, value] of Object.entries(object.data ?? {}))
    data.set(key, () => Buffer.from(value, 'base64'))
  return selectFiles(data, selection, 'secret')
}

const downwardFiles = (
  { pod, location }: VolumeContext,
  items: readonly DownwardAPIVolumeFile[],
  mode: number,
): VolumeFile[] =>
  items.map(({ path, mode: itemMode, fieldRef, resourceFieldRef }) => ({
    path,
    mode: itemMode ?? mode,
    content: () =>
      utf8.encode(
        fieldRef !== undefined
          ? (fieldValue(fieldRef, pod, location) ?? '')
          : resourceFieldRef !== undefined
            ? resourceValue(resourceFieldRef, pod, '', location)
            : '',
      ),
  }))

const projectedFiles = (
  volumeContext: VolumeContext,
  source: VolumeProjection,
  mode: number,
): VolumeFile[] => {
  const { configMap, secret, downwardAPI, serviceAccountToken: token } = source
  if (configMap !== undefined)
    return configMapFiles(volumeContext, {
      name: configMap.name ?? '',
      optional: configMap.optional,
      items: configMap.items,
      mode,
    })
  if (secret !== undefined)
    return secretFiles(volumeContext, {
      name: secret.name ?? '',
      optional: secret.optional,
      items: secret.items,
      mode,
    })
  if (downwardAPI !== undefined) return downwardFiles(volumeContext, downwardAPI.items ?? [], mode)
  if (token === undefined) return []
  const { context, pod } = volumeContext
  let encoded: Uint8Array | undefined
  const content = (): Uint8Array => {
    // Comparing this content with newer content must not issue another token.
    encoded ??= utf8.encode(context.issueToken(pod, token.audience, token.expirationSeconds ?? 3600))
    return encoded
  }
  return [{ path: token.path, mode, content }]
}

const allProjectedFiles = (
  volumeContext: VolumeContext,
  { sources = [], defaultMode }: ProjectedVolumeSource,
): VolumeFile[] =>
  sources.flatMap((source) => projectedFiles(volumeContext, source, defaultMode ?? DEFAULT_MODE))

const filesOf = (
  volumeContext: VolumeContext,
  { configMap, secret, downwardAPI, projected }: Volume,
): VolumeFile[] => {
  if (configMap !== undefined)
    return configMapFiles(volumeContext, {
      name: configMap.name ?? '',
      optional: configMap.optional,
      items: configMap.items,
      mode: configMap.defaultMode ?? DEFAULT_MODE,
    })
  if (secret !== undefined)
    return secretFiles(volumeContext, {
      name: secret.secretName ?? '',
      optional: secret.optional,
      items: secret.items,
      mode: secret.defaultMode ?? DEFAULT_MODE,
    })
  if (downwardAPI !== undefined)
    return downwardFiles(volumeContext, downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE)
  return projected === undefined ? [] : allProjectedFiles(volumeContext, projected)
}

const isFileVolume = (volume: Volume): boolean =>
  volume.configMap !== undefined ||
  volume.secret !== undefined ||
  volume.downwardAPI !== undefined ||
  volume.projected !== undefined

const claimVolume = (
  { context, pod }: VolumeContext,
  { name, persistentVolumeClaim }: Volume,
): ClaimVolume => {
  const { claimName, readOnly = false } = persistentVolumeClaim!
  const claim = context.client.get(persistentVolumeClaims, pod.metadata.namespace!, claimName)
  if (claim === undefined) throw new MountError(`persistentvolumeclaim "${claimName}" not found`)
  const volume = context.client.get(persistentVolumes, '', claim.spec.volumeName ?? '')
  if (claim.status.phase !== 'Bound' || volume === undefined) throw new MountError('PVC is not bound')
  const { hostPath, local } = volume.spec
  // Other kinds of storage, such as NFS or iSCSI, are emulated by a folder.
  return { name, path: hostPath?.path ?? local?.path ?? `/mnt/${volume.metadata.name}`, readOnly }
}

const fileVolume = (volumeContext: VolumeContext, volume: Volume): FileVolume => {
  try {
    return { name: volume.name, files: filesOf(volumeContext, volume) }
  } catch (error) {
    if (!(error instanceof MountError)) throw error
    throw new MountError(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`)
  }
}

/** Returns the current content of one volume. Throws MountError if it cannot be set up. */
export const resolveFiles = (
  context: Context,
  pod: Stored<Pod>,
  location: PodLocation,
  name: string,
): FileVolume => {
  const volume = pod.spec.volumes?.find((candidate) => candidate.name === name)
  return volume === undefined ? { name, files: [] } : fileVolume({ context, pod, location }, volume)
}

/** Returns the volumes that API objects define. Throws MountError for the first that cannot be set up. */
export const resolveVolumes = (context: Context, pod: Stored<Pod>, location: PodLocation): PodVolumes => {
  const volumeContext = { context, pod, location }
  const files: FileVolume[] = []
  const claims: ClaimVolume[] = []
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) claims.push(claimVolume(volumeContext, volume))
    else if (isFileVolume(volume)) files.push(fileVolume(volumeContext, volume))
  }
  return { files, claims }
}
