/** Values in ConfigMaps that services read as files of JSON when they start. */
import { isDeepStrictEqual } from 'node:util'
import type { ApiObject, FaultContext, ObjectRef, ObjectsView, Scene, SystemView } from '../spec/index.ts'
import { mainContainer } from './containers.ts'
import { applyTask, type PlaybookTask } from './playbook.ts'

/** One value in a file: `{map: 'user-service', file: 'service-config.json', path: 'user-mongodb.port'}`. */
export interface ConfigPlace {
  readonly map: string
  readonly file: string
  /** One or two names with a dot between them. */
  readonly path: string
}

export interface UpstreamPlace extends ConfigPlace {
  readonly upstream: string
}

/** `config.settings.RateMongoAddress`, `config.service["user-mongodb"].port` */
const PLACES = /config\.(\w+)(?:\.(\w+)|\["([^"]+)"\](?:\.(\w+))?)/g

interface MountedVolume {
  readonly name: string
  readonly configMap?: { readonly name: string }
}

/** The ConfigMap that the container finds at this path. */
const mapAt = (system: SystemView, service: string, path: string): string | undefined => {
  const mount = mainContainer(system, service).volumeMounts?.find(({ mountPath }) =>
    path.startsWith(`${mountPath}/`),
  )
  const volumes = (system.workloadOf(service).podSpec.volumes ?? []) as unknown as readonly MountedVolume[]
  return volumes.find(({ name }) => name === mount?.name)?.configMap?.name
}

/** Where the service's configuration says something of its upstreams; `what` chooses the expression that says it. */
export const upstreamPlaces = (
  system: SystemView,
  service: string,
  what: 'address' | 'pool',
): readonly UpstreamPlace[] => {
  const behaviour = system.topology?.services[service]?.behaviour
  return Object.entries(behaviour?.upstreams ?? {}).flatMap(([upstream, { address, pool, dead }]) => {
    const source = dead === true ? '' : ((what === 'address' ? address : pool?.size) ?? '')
    return [...source.matchAll(PLACES)].flatMap(([, file = '', plain, quoted, field]) => {
      const path = behaviour?.files?.[file]?.path
      const map = path === undefined ? undefined : mapAt(system, service, path)
      if (path === undefined || map === undefined) return []
      const name = plain ?? (field === undefined ? quoted : `${quoted}.${field}`)
      return [{ upstream, map, file: path.slice(path.lastIndexOf('/') + 1), path: name! }]
    })
  })
}

const escapeText = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The text before the value, and the value. */
const toPattern = (path: string): RegExp => {
  const [first, second] = path.split('.').map((name) => `"${escapeText(name)}"\\s*:\\s*`)
  const before = second === undefined ? first : `${first}\\{[^}]*?${second}`
  return new RegExp(`(${before})("[^"]*"|-?[\\d.]+)`)
}

/** Everything else in the text stays as it is, to the blank. */
export const setInText = (text: string, path: string, value: unknown): string =>
  text.replace(toPattern(path), (_whole, before: string) => `${before}${JSON.stringify(value)}`)

const toMeaning = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Nothing where it is not there; the bare text where it is no value, such as `1.2.3`, as whoever mends it may have written it. */
export const readInText = (text: string | undefined, path: string): unknown => {
  const found = toPattern(path).exec(text ?? '')?.[2]
  return found === undefined ? undefined : toMeaning(found)
}

export const textIn = (map: ApiObject | undefined, file: string): string | undefined =>
  (map?.data as Readonly<Record<string, string>> | undefined)?.[file]

export const valueIn = (objects: ObjectsView, { map, file, path }: ConfigPlace): unknown =>
  readInText(textIn(objects.get('ConfigMap', map), file), path)

/** Whether the map says what it said before but for the value; how its files are laid out does not matter. */
export const isConfigOtherwiseSame = (
  { baseline, now }: Pick<Scene, 'baseline' | 'now'>,
  { map, file, path }: ConfigPlace,
): boolean => {
  const [before, after] = [baseline, now].map((objects) => {
    const data = (objects.get('ConfigMap', map)?.data ?? {}) as Readonly<Record<string, string>>
    return Object.fromEntries(
      Object.entries(data).map(([name, text]) => [
        name,
        toMeaning(name === file ? setInText(text, path, '') : text),
      ]),
    )
  })
  return isDeepStrictEqual(before, after)
}

/** As the system is deployed with it. */
export const deployedText = (system: SystemView, { map, file }: ConfigPlace): string =>
  textIn(
    system.objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map),
    file,
  ) ?? ''

const mapRef = ({ namespace }: SystemView, { map }: ConfigPlace): ObjectRef => ({
  apiVersion: 'v1',
  plural: 'configmaps',
  namespace,
  name: map,
})

/** Sets values of one file, which pods read when they start next. */
export const setConfigValues = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  place: ConfigPlace,
  values: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const ref = mapRef(system, place)
  const text = textIn(await api.get(ref), place.file) ?? ''
  const changed = Object.entries(values).reduce((so, [path, value]) => setInText(so, path, value), text)
  await api.patch(ref, 'merge', { data: { [place.file]: changed } })
}

/** Puts the file back as it was deployed. */
export const restoreConfig = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  place: ConfigPlace,
): Promise<void> => {
  await api.patch(mapRef(system, place), 'merge', { data: { [place.file]: deployedText(system, place) } })
}

/** The same by a playbook. */
export const configTask = (name: string, system: SystemView, place: ConfigPlace): PlaybookTask =>
  applyTask(name, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: place.map, namespace: system.namespace },
    data: { [place.file]: deployedText(system, place) },
  })
