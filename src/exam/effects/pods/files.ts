/** The files that a container reads from ConfigMaps and Secrets. */
import type { ContainerView, ObjectsView, PodSpecView } from '#spec'
import { type ConfigKind, configDataOf, type ReadValue } from './config-data.ts'

type Volume = NonNullable<PodSpecView['volumes']>[number]
type Mount = NonNullable<ContainerView['volumeMounts']>[number]
type Items = readonly { readonly key: string; readonly path: string }[]

/** Files by their path below the volume. */
export type Files = Readonly<Record<string, ReadValue>>

interface FileSource {
  readonly kind: ConfigKind
  readonly name?: string | undefined
  readonly items?: Items | undefined
  readonly optional?: boolean | undefined
}

const sourcesOf = ({ configMap, secret, projected }: Volume): readonly FileSource[] | undefined => {
  if (configMap !== undefined) return [{ kind: 'ConfigMap', name: configMap.name, ...configMap }]
  if (secret !== undefined) return [{ kind: 'Secret', name: secret.secretName, ...secret }]
  const sources = projected?.sources ?? []
  const isConfiguration = sources.every(
    (source) => source.configMap !== undefined || source.secret !== undefined,
  )
  if (sources.length === 0 || !isConfiguration) return undefined
  return sources.map((source) =>
    source.configMap === undefined
      ? { kind: 'Secret', name: source.secret?.name, ...source.secret }
      : { kind: 'ConfigMap', name: source.configMap.name, ...source.configMap },
  )
}

const readSource = (objects: ObjectsView, { kind, name, items, optional }: FileSource): Files => {
  const data = configDataOf(objects, kind, name)
  if (data === undefined) return optional === true ? {} : { '': { missing: `${kind}/${name}` } }
  if (items === undefined || items.length === 0) return data
  return Object.fromEntries(
    items.flatMap(({ key, path }): [string, ReadValue][] => {
      const found = data[key]
      if (found !== undefined) return [[path, found]]
      return optional === true ? [] : [[path, { missing: `${kind}/${name} ${key}` }]]
    }),
  )
}

/** Returns undefined if the volume contains no configuration. */
export const filesOfVolume = (objects: ObjectsView, volume: Volume): Files | undefined => {
  const sources = sourcesOf(volume)
  return sources && Object.assign({}, ...sources.map((source) => readSource(objects, source)))
}

/** `folder` can also be the path of a single file, if a `subPath` names one. */
const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** The files of a mount by their path in the container. */
const filesAt = ({ mountPath, subPath = '' }: Mount, files: Files): Files =>
  Object.fromEntries(
    Object.entries(files)
      .filter(([path]) => subPath === '' || path === '' || isBelow(path, subPath))
      .map(([path, read]) => {
        const rest = subPath === '' ? path : path.slice(subPath.length + 1)
        return [rest === '' ? mountPath : `${mountPath}/${rest}`, read]
      }),
  )

/** The configuration files of a mount by their path in the container; undefined if it mounts something else. */
export const filesOfMount = (
  objects: ObjectsView,
  mount: Mount,
  volumes: readonly Volume[] = [],
): Files | undefined => {
  const volume = volumes.find(({ name }) => name === mount.name)
  const files = volume && filesOfVolume(objects, volume)
  return files && filesAt(mount, files)
}

/** All configuration files of a container, by their path. */
export const configFilesOf = (
  objects: ObjectsView,
  { volumeMounts = [] }: Pick<ContainerView, 'volumeMounts'>,
  { volumes }: Pick<PodSpecView, 'volumes'>,
): Files => Object.assign({}, ...volumeMounts.map((mount) => filesOfMount(objects, mount, volumes) ?? {}))
