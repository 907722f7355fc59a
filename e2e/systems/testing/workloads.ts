/** Converts the workloads of a system to the format of the facts about its original, and compares the two. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { System } from '#spec'

type Fields = Readonly<Record<string, any>>

const ORIGINALS = join(import.meta.dirname, '..', 'originals')

/** An intended difference. */
export interface Deviation {
  readonly system: string
  /** As in `Difference`; `*` matches anything but `/`. */
  readonly at: string
  /** Matches any value if omitted. */
  readonly original?: unknown
  readonly remedium?: unknown
  readonly why: string
}

export interface Difference {
  /** Such as `frontend/containers/server/readiness/periodSeconds`. */
  readonly at: string
  /** Null if it is not set. */
  readonly original: unknown
  readonly remedium: unknown
}

const readYaml = (...path: string[]): any => parse(readFileSync(join(ORIGINALS, ...path), 'utf8'))

/** The systems with facts about their original. */
export const listOriginals = (): string[] =>
  readdirSync(join(ORIGINALS, 'workloads')).map((file) => basename(file, '.yaml'))

/** The workloads of the original, by name. */
export const readWorkloads = (system: string): Fields => readYaml('workloads', `${system}.yaml`)

export const readDeviations = (system: string): Deviation[] =>
  readYaml('deviations.yaml').filter((deviation: Deviation) => deviation.system === system)

const DEFAULT_TIMES: Fields = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
}

/** Removes empty members and default values. */
const withoutDefaults = (fields: Fields, defaults: Fields = {}): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) =>
        value !== undefined &&
        value !== defaults[key] &&
        (typeof value !== 'object' || Object.keys(value).length > 0),
    ),
  )

const toProbe = (probe: Fields | undefined): Fields => {
  if (probe === undefined) return {}
  const { exec, httpGet, tcpSocket, ...times } = probe
  // The facts contain the command without the shell that runs it.
  const command: string[] | undefined = exec?.command[0] === 'sh' ? exec.command.slice(2) : exec?.command
  return withoutDefaults(
    {
      exec: command?.join(' '),
      httpGet: httpGet && `${httpGet.path} ${httpGet.port}`,
      headers: Object.fromEntries(
        (httpGet?.httpHeaders ?? []).map(({ name, value }: Fields) => [name, value]),
      ),
      tcpSocket: tcpSocket?.port,
      ...times,
    },
    DEFAULT_TIMES,
  )
}

type Source = 'ConfigMap' | 'Secret'

/** Returns values such as `configMap nacos: VALUE`. For passwords, the facts contain only the source. */
const toVariables = ({ env = [], envFrom = [] }: Fields, objects: readonly Fields[]): Fields => {
  const dataOf = (kind: Source, name: string): Fields => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
    return found?.data ?? found?.stringData ?? {}
  }
  const toSourcedValue = (kind: Source, name: string, key: string, variable = key): string => {
    const source = `${kind === 'Secret' ? 'secret' : 'configMap'} ${name}`
    return /PASSWORD/i.test(variable) ? source : `${source}: ${dataOf(kind, name)[key]}`
  }
  const listVariables = (kind: Source, name: string): [string, string][] =>
    Object.keys(dataOf(kind, name)).map((key) => [key, toSourcedValue(kind, name, key)])
  const toVariable = ({ name, value = '', valueFrom = {} }: Fields): [string, string] => {
    const { fieldRef, secretKeyRef: secret, configMapKeyRef: configMap } = valueFrom
    if (fieldRef !== undefined) return [name, `field ${fieldRef.fieldPath}`]
    if (secret !== undefined) return [name, toSourcedValue('Secret', secret.name, secret.key, name)]
    if (configMap !== undefined)
      return [name, toSourcedValue('ConfigMap', configMap.name, configMap.key, name)]
    return [name, value]
  }
  return Object.fromEntries([
    ...envFrom.flatMap(({ secretRef, configMapRef }: Fields) =>
      secretRef === undefined
        ? listVariables('ConfigMap', configMapRef.name)
        : listVariables('Secret', secretRef.name),
    ),
    ...env.map(toVariable),
  ])
}

const toContainer = (container: Fields, objects: readonly Fields[]): Fields =>
  withoutDefaults({
    image: container.image,
    ports: (container.ports ?? []).map(({ containerPort }: Fields) => containerPort),
    resources: container.resources ?? {},
    env: toVariables(container, objects),
    readiness: toProbe(container.readinessProbe),
    liveness: toProbe(container.livenessProbe),
    startup: toProbe(container.startupProbe),
  })

/** Returns the number of the port and its fields. */
const toPort = ({ name, port, targetPort = port, nodePort, protocol = 'TCP' }: Fields): [string, Fields] => {
  const node = nodePort === undefined ? '' : ` at ${nodePort}`
  return [
    port,
    withoutDefaults({ name, leads: `to ${targetPort}${node}${protocol === 'TCP' ? '' : ` ${protocol}`}` }),
  ]
}

const toService = ({ spec }: Fields, labels: Fields): Fields => {
  const others = Object.entries(spec.selector ?? {}).filter(([key, value]) => labels[key] !== value)
  return withoutDefaults({
    type: spec.clusterIP === 'None' ? 'headless' : (spec.type ?? 'ClusterIP'),
    ports: Object.fromEntries(spec.ports.map(toPort)),
    selector: others.length === 0 ? undefined : others.map(([key, value]) => `${key}=${value}`).join(),
  })
}

const toVolumes = ({ template, volumeClaimTemplates = [] }: Fields): Fields =>
  Object.fromEntries([
    ...volumeClaimTemplates.map(({ metadata, spec }: Fields) => [
      metadata.name,
      `persistentVolumeClaim ${spec.resources.requests.storage} ${spec.accessModes.join()}`,
    ]),
    ...(template.spec.volumes ?? []).map(({ name, ...kind }: Fields) => [name, Object.keys(kind)[0]]),
  ])

const toWorkload = ({ kind, spec }: Fields, objects: readonly Fields[]): Fields => {
  const { metadata, spec: pod } = spec.template
  const selects = ({ kind, spec: service }: Fields): boolean =>
    kind === 'Service' &&
    Object.entries(service.selector ?? {}).some(([key, value]) => metadata.labels[key] === value)
  return withoutDefaults(
    {
      kind,
      replicas: spec.replicas,
      labels: metadata.labels,
      containers: Object.fromEntries(
        pod.containers.map((container: Fields) => [container.name, toContainer(container, objects)]),
      ),
      initContainers: (pod.initContainers ?? []).map(({ name }: Fields) => name),
      services: Object.fromEntries(
        objects
          .filter(selects)
          .map((service) => [service.metadata.name, toService(service, metadata.labels)]),
      ),
      terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
      volumes: toVolumes(spec),
    },
    { kind: 'Deployment', replicas: 1, terminationGracePeriodSeconds: 30 },
  )
}

/** Returns the workloads of a system by name. */
export const toWorkloads = ({ manifests }: System): Fields => {
  const objects = manifests as readonly Fields[]
  return Object.fromEntries(
    objects
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map((object) => [object.metadata.name, toWorkload(object, objects)]),
  )
}

/** Normalises different forms of the same value: `docker.io/library/redis` and `redis`, `1000m` and `1`. */
const normaliseValue = (path: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.join(', ')
  if (path.endsWith('/image')) return String(value).replace(/^docker\.io\/(?:library\/)?/, '')
  if (path.endsWith('/cpu')) return String(value).replace(/000m$/, '')
  return value
}

/** Returns the leaves with their paths; a list counts as one leaf. */
const flatten = (value: unknown, path = ''): [string, unknown][] =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? [[path, normaliseValue(path, value)]]
    : Object.entries(value).flatMap(([key, child]) => flatten(child, path === '' ? key : `${path}/${key}`))

export const differencesBetween = (original: Fields, remedium: Fields): Difference[] => {
  const [originalLeaves, remediumLeaves] = [new Map(flatten(original)), new Map(flatten(remedium))]
  return [...new Set([...originalLeaves.keys(), ...remediumLeaves.keys()])]
    .filter((at) => originalLeaves.get(at) !== remediumLeaves.get(at))
    .map((at) => ({ at, original: originalLeaves.get(at) ?? null, remedium: remediumLeaves.get(at) ?? null }))
}

const toPattern = (at: string): RegExp =>
  new RegExp(`^${at.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)

export const matchesDeviation = ({ at, original, remedium }: Difference, deviation: Deviation): boolean =>
  toPattern(deviation.at).test(at) &&
  (deviation.original === undefined || deviation.original === original) &&
  (deviation.remedium === undefined || deviation.remedium === remedium)
