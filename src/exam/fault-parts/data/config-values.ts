/** Reads and sets values in JSON files of ConfigMaps, which services read at their start. */
import { isDeepStrictEqual } from 'node:util'
import { configFilesOf, textOf } from '#exam/effects'
import {
  type ApiObject,
  type CauseSnapshot,
  containersOf,
  type FaultContext,
  type ObjectRef,
  type ObjectsView,
  type SystemView,
  viewAs,
} from '#spec'
import { applyTask, type PlaybookTask } from '../playbook.ts'
import { mainContainer, podSpecOf, workloadIn } from '../workloads/containers.ts'

/** One value in a file: `{map: 'user-service', file: 'service-config.json', path: 'user-mongodb.port'}`. */
export interface ConfigLocation {
  readonly map: string
  readonly file: string
  /** One name, or two names separated by a dot. */
  readonly path: string
}

export interface UpstreamLocation extends ConfigLocation {
  readonly upstream: string
}

/** `config.settings.RateMongoAddress`, `config.service["user-mongodb"].port` */
const CONFIG_REFERENCES = /config\.(\w+)(?:\.(\w+)|\["([^"]+)"\](?:\.(\w+))?)/g

/** The ConfigMap that is mounted at this path. */
const findConfigMap = (system: SystemView, service: string, path: string): string | undefined => {
  const mount = mainContainer(system, service).volumeMounts?.find(({ mountPath }) =>
    path.startsWith(`${mountPath}/`),
  )
  return system.workloadOf(service).podSpec.volumes?.find(({ name }) => name === mount?.name)?.configMap?.name
}

/** The values in the service's configuration that set the address or the pool size of its upstreams. */
export const findUpstreamLocations = (
  system: SystemView,
  service: string,
  setting: 'address' | 'pool',
): readonly UpstreamLocation[] => {
  const behaviour = system.topology?.services[service]?.behaviour
  return Object.entries(behaviour?.upstreams ?? {}).flatMap(([upstream, { address, pool, dead }]) => {
    const source = dead === true ? '' : ((setting === 'address' ? address : pool?.size) ?? '')
    return [...source.matchAll(CONFIG_REFERENCES)].flatMap(([, file = '', plain, quoted, field]) => {
      const path = behaviour?.files?.[file]?.path
      const map = path === undefined ? undefined : findConfigMap(system, service, path)
      if (path === undefined || map === undefined) return []
      const name = plain ?? (field === undefined ? quoted : `${quoted}.${field}`)
      return [{ upstream, map, file: path.slice(path.lastIndexOf('/') + 1), path: name! }]
    })
  })
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Matches the text before the value, and the value. */
const toPattern = (path: string): RegExp => {
  const [first, second] = path.split('.').map((name) => `"${escapePattern(name)}"\\s*:\\s*`)
  const before = second === undefined ? first : `${first}\\{[^}]*?${second}`
  return new RegExp(`(${before})("[^"]*"|-?[\\d.]+)`)
}

/** Sets a value and keeps all other characters of the text. */
export const setInText = (text: string, path: string, value: unknown): string =>
  text.replace(toPattern(path), (_whole, before: string) => `${before}${JSON.stringify(value)}`)

const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Undefined if the value does not exist; the plain text if it is not a JSON value, such as `1.2.3`. */
export const readInText = (text: string | undefined, path: string): unknown => {
  const valueText = toPattern(path).exec(text ?? '')?.[2]
  return valueText === undefined ? undefined : parseValue(valueText)
}

export const readFile = (map: ApiObject | undefined, file: string): string | undefined =>
  map && viewAs('ConfigMap', map).data?.[file]

/** The folder in which the service mounts the ConfigMap. */
const folderOf = (system: SystemView, service: string, map: string): string | undefined => {
  const { volumes = [] } = system.workloadOf(service).podSpec
  const names = volumes.filter(({ configMap }) => configMap?.name === map).map(({ name }) => name)
  return mainContainer(system, service).volumeMounts?.find(({ name }) => names.includes(name))?.mountPath
}

/** Services that mount the ConfigMap. */
export const mountersOf = (system: SystemView, map: string): readonly string[] =>
  system.workloads
    .map(({ service }) => service)
    .filter((service) => folderOf(system, service, map) !== undefined)

/** Services that mount the ConfigMap and read an address from the value. */
export const readersOf = (system: SystemView, { map, file, path }: ConfigLocation): readonly string[] =>
  mountersOf(system, map).filter((service) =>
    findUpstreamLocations(system, service, 'address').some(
      (location) => location.map === map && location.file === file && location.path === path,
    ),
  )

/** The files that the service reads from the folder, regardless of the name of the ConfigMap. */
const filesRead = (
  objects: ObjectsView,
  system: SystemView,
  service: string,
  folder: string,
): Readonly<Record<string, string | undefined>> => {
  const workload = workloadIn(objects, system.workloadOf(service))
  const { name } = mainContainer(system, service)
  const container = workload && containersOf(workload).find((candidate) => candidate.name === name)
  if (workload === undefined || container === undefined) return {}
  return Object.fromEntries(
    Object.entries(configFilesOf(objects, container, podSpecOf(workload)))
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, read]) => [path.slice(folder.length + 1), textOf(read)]),
  )
}

/** The value that pods of the service read. */
export const readConfigValue = (
  objects: ObjectsView,
  system: SystemView,
  service: string,
  { map, file, path }: ConfigLocation,
): unknown => {
  const folder = folderOf(system, service, map)
  return folder === undefined
    ? undefined
    : readInText(filesRead(objects, system, service, folder)[file], path)
}

/** Whether pods of the service read the same files as in the baseline, except for the value. Formatting does not matter. */
export const isConfigOtherwiseSame = (
  { baseline, now, system }: Pick<CauseSnapshot, 'baseline' | 'now' | 'system'>,
  service: string,
  { map, file, path }: ConfigLocation,
): boolean => {
  const folder = folderOf(system, service, map) ?? ''
  const [before, after] = [baseline, now].map((objects) =>
    Object.fromEntries(
      Object.entries(filesRead(objects, system, service, folder)).map(([name, text = '']) => [
        name,
        parseValue(name === file ? setInText(text, path, '') : text),
      ]),
    ),
  )
  return isDeepStrictEqual(before, after)
}

/** The text of the deployed file. */
export const deployedText = (system: SystemView, { map, file }: ConfigLocation): string =>
  readFile(
    system.objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === map),
    file,
  ) ?? ''

const mapRef = ({ namespace }: SystemView, { map }: ConfigLocation): ObjectRef => ({
  apiVersion: 'v1',
  plural: 'configmaps',
  namespace,
  name: map,
})

/** Sets values of one file, which pods read at their next start. */
export const setConfigValues = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  location: ConfigLocation,
  values: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const ref = mapRef(system, location)
  const text = readFile(await api.get(ref), location.file) ?? ''
  const changed = Object.entries(values).reduce(
    (result, [path, value]) => setInText(result, path, value),
    text,
  )
  await api.patch(ref, 'merge', { data: { [location.file]: changed } })
}

/** Restores the deployed file. */
export const restoreConfig = async (
  { api, system }: Pick<FaultContext, 'api' | 'system'>,
  location: ConfigLocation,
): Promise<void> => {
  await api.patch(mapRef(system, location), 'merge', {
    data: { [location.file]: deployedText(system, location) },
  })
}

/** The task that restores the deployed file. */
export const configTask = (name: string, system: SystemView, location: ConfigLocation): PlaybookTask =>
  applyTask(name, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: location.map, namespace: system.namespace },
    data: { [location.file]: deployedText(system, location) },
  })
