/** Volumes made of API objects: config maps, secrets, the downward API and projections of them. */
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  Pod,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from 'kubernetes-types/core/v1.d.ts'
import { configMaps, persistentVolumeClaims, persistentVolumes, secrets } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { ClaimVolume, FileVolume, PodVolumes, VolumeFile } from '../ports/index.ts'
import { fieldValue, type PodPlace, resourceValue } from './field-reference.ts'
import type { KubeletContext } from './kubelet-context.ts'

/** A volume cannot be set up yet; the message is the one of the FailedMount event. */
export class MountError extends Error {}

type Context = Pick<KubeletContext, 'client' | 'issueToken'>

interface Setting {
  context: Context
  pod: Stored<Pod>
  place: PodPlace
}

interface Selection {
  name: string
  optional: boolean | undefined
  items: readonly KeyToPath[] | undefined
  mode: number
}

const utf8 = new TextEncoder()
const DEFAULT_MODE = 0o644

const selectFiles = (
  data: ReadonlyMap<string, () => Uint8Array>,
  { items, mode, optional }: Selection,
  kind: string,
): VolumeFile[] => {
  if (items === undefined) return Array.from(data, ([path, content]) => ({ path, mode, content }))
  return items.flatMap(({ key, path, mode: own }) => {
    const content = data.get(key)
    if (content !== undefined) return [{ path, mode: own ?? mode, content }]
    if (optional === true) return []
    throw new MountError(`references non-existent ${kind} key: ${key}`)
  })
}

const configMapFiles = ({ context, pod }: Setting, selection: Selection): VolumeFile[] => {
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

const secretFiles = ({ context, pod }: Setting, selection: Selection): VolumeFile[] => {
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
  { pod, place }: Setting,
  items: readonly DownwardAPIVolumeFile[],
  mode: number,
): VolumeFile[] =>
  items.map(({ path, mode: own, fieldRef, resourceFieldRef }) => ({
    path,
    mode: own ?? mode,
    content: () =>
      utf8.encode(
        fieldRef !== undefined
          ? (fieldValue(fieldRef, pod, place) ?? '')
          : resourceFieldRef !== undefined
            ? resourceValue(resourceFieldRef, pod, '', place)
            : '',
      ),
  }))

const projectedFiles = (setting: Setting, source: VolumeProjection, mode: number): VolumeFile[] => {
  const { configMap, secret, downwardAPI, serviceAccountToken: token } = source
  if (configMap !== undefined)
    return configMapFiles(setting, {
      name: configMap.name ?? '',
      optional: configMap.optional,
      items: configMap.items,
      mode,
    })
  if (secret !== undefined)
    return secretFiles(setting, {
      name: secret.name ?? '',
      optional: secret.optional,
      items: secret.items,
      mode,
    })
  if (downwardAPI !== undefined) return downwardFiles(setting, downwardAPI.items ?? [], mode)
  if (token === undefined) return []
  const { context, pod } = setting
  let shown: Uint8Array | undefined
  const content = (): Uint8Array => {
    // What was shown once must not become another token when it is compared with the next.
    shown ??= utf8.encode(context.issueToken(pod, token.audience, token.expirationSeconds ?? 3600))
    return shown
  }
  return [{ path: token.path, mode, content }]
}

const allProjected = (setting: Setting, { sources = [], defaultMode }: ProjectedVolumeSource): VolumeFile[] =>
  sources.flatMap((source) => projectedFiles(setting, source, defaultMode ?? DEFAULT_MODE))

const filesOf = (setting: Setting, { configMap, secret, downwardAPI, projected }: Volume): VolumeFile[] => {
  if (configMap !== undefined)
    return configMapFiles(setting, {
      name: configMap.name ?? '',
      optional: configMap.optional,
      items: configMap.items,
      mode: configMap.defaultMode ?? DEFAULT_MODE,
    })
  if (secret !== undefined)
    return secretFiles(setting, {
      name: secret.secretName ?? '',
      optional: secret.optional,
      items: secret.items,
      mode: secret.defaultMode ?? DEFAULT_MODE,
    })
  if (downwardAPI !== undefined)
    return downwardFiles(setting, downwardAPI.items ?? [], downwardAPI.defaultMode ?? DEFAULT_MODE)
  return projected === undefined ? [] : allProjected(setting, projected)
}

const isOfFiles = (volume: Volume): boolean =>
  volume.configMap !== undefined ||
  volume.secret !== undefined ||
  volume.downwardAPI !== undefined ||
  volume.projected !== undefined

const claimVolume = ({ context, pod }: Setting, { name, persistentVolumeClaim }: Volume): ClaimVolume => {
  const { claimName, readOnly = false } = persistentVolumeClaim!
  const claim = context.client.get(persistentVolumeClaims, pod.metadata.namespace!, claimName)
  if (claim === undefined) throw new MountError(`persistentvolumeclaim "${claimName}" not found`)
  const volume = context.client.get(persistentVolumes, '', claim.spec.volumeName ?? '')
  if (claim.status.phase !== 'Bound' || volume === undefined) throw new MountError('PVC is not bound')
  const { hostPath, local } = volume.spec
  // Storage of another kind is a folder of its own, too: nothing here speaks NFS or iSCSI.
  return { name, path: hostPath?.path ?? local?.path ?? `/mnt/${volume.metadata.name}`, readOnly }
}

const fileVolume = (setting: Setting, volume: Volume): FileVolume => {
  try {
    return { name: volume.name, files: filesOf(setting, volume) }
  } catch (error) {
    if (!(error instanceof MountError)) throw error
    throw new MountError(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`)
  }
}

/** What one volume of files shows by now. Throws MountError where it cannot be set up. */
export const resolveFiles = (
  context: Context,
  pod: Stored<Pod>,
  place: PodPlace,
  name: string,
): FileVolume => {
  const volume = pod.spec.volumes?.find((one) => one.name === name)
  return volume === undefined ? { name, files: [] } : fileVolume({ context, pod, place }, volume)
}

/** What the volumes show that API objects decide. Throws MountError for the first that cannot be set up. */
export const resolveVolumes = (context: Context, pod: Stored<Pod>, place: PodPlace): PodVolumes => {
  const setting = { context, pod, place }
  const files: FileVolume[] = []
  const claims: ClaimVolume[] = []
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) claims.push(claimVolume(setting, volume))
    else if (isOfFiles(volume)) files.push(fileVolume(setting, volume))
  }
  return { files, claims }
}
