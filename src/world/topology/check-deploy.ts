/** Checks that the containers of a service refer to existing volumes, ConfigMaps and Secrets. */
import type { YamlPath } from '#kit'
import { type ReportMistake, suggest } from './check-calls.ts'
import type { ParsedContainer } from './container-schema.ts'
import type { ParsedDeploy } from './deploy-schema.ts'

type Kind = 'ConfigMap' | 'Secret'
type Mounts = ParsedDeploy['volumeMounts']

/** The keys of ConfigMaps and Secrets, by kind and name. */
export type DataKeys = Readonly<Record<Kind, ReadonlyMap<string, ReadonlySet<string>>>>

interface Reference {
  readonly kind: Kind
  readonly name: string
  readonly at: YamlPath
  readonly key?: string
  readonly keyAt?: YamlPath
}

interface DataObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: unknown }
  readonly data?: unknown
  readonly stringData?: unknown
  readonly binaryData?: unknown
}

/** The cluster creates it in every namespace. */
const ROOT_CERTIFICATE: [string, ReadonlySet<string>] = ['kube-root-ca.crt', new Set(['ca.crt'])]

export const listDataKeys = (objects: readonly object[], namespace: string): DataKeys => {
  const inNamespace = (objects as readonly DataObject[]).filter(
    ({ metadata }) => (metadata.namespace ?? namespace) === namespace,
  )
  const keysOfKind = (kind: Kind): [string, ReadonlySet<string>][] =>
    inNamespace
      .filter((object) => object.kind === kind)
      .map(({ metadata, data, stringData, binaryData }) => [
        metadata.name,
        new Set([data, stringData, binaryData].flatMap((part) => Object.keys(part ?? {}))),
      ])
  return {
    ConfigMap: new Map([ROOT_CERTIFICATE, ...keysOfKind('ConfigMap')]),
    Secret: new Map(keysOfKind('Secret')),
  }
}

const ownReferences = ({ env = {}, envFrom = [] }: ParsedDeploy): Reference[] => [
  ...Object.entries(env).flatMap(([variable, value]): Reference[] => {
    if (typeof value === 'string' || 'field' in value) return []
    const at = ['env', variable]
    const rest = { key: value.key, keyAt: [...at, 'key'] }
    return 'secret' in value
      ? [{ kind: 'Secret', name: value.secret, at: [...at, 'secret'], ...rest }]
      : [{ kind: 'ConfigMap', name: value.configMap, at: [...at, 'configMap'], ...rest }]
  }),
  ...envFrom.map(
    (source, index): Reference =>
      'secret' in source
        ? { kind: 'Secret', name: source.secret, at: ['envFrom', index, 'secret'] }
        : { kind: 'ConfigMap', name: source.configMap, at: ['envFrom', index, 'configMap'] },
  ),
]

const volumeReferences = ({ volumes = [] }: ParsedDeploy): Reference[] =>
  volumes.flatMap(({ configMap, secret }, index): Reference[] => {
    const source = configMap ?? secret
    if (source === undefined || source.optional === true) return []
    const path: YamlPath = ['volumes', index, configMap === undefined ? 'secret' : 'configMap']
    const found: Reference =
      'secretName' in source
        ? { kind: 'Secret', name: source.secretName, at: [...path, 'secretName'] }
        : { kind: 'ConfigMap', name: source.name, at: [...path, 'name'] }
    const keyed = (source.items ?? []).map(({ key }, item) => ({
      ...found,
      key,
      keyAt: [...path, 'items', item, 'key'],
    }))
    return keyed.length > 0 ? keyed : [found]
  })

const containerReferences = ({ env = [], envFrom = [] }: ParsedContainer, path: YamlPath): Reference[] => {
  const found: (Reference | false)[] = []
  const add = (
    kind: Kind,
    reference: { name: string; key?: string; optional?: boolean | undefined },
    at: YamlPath,
  ) =>
    found.push(
      reference.optional !== true && {
        kind,
        name: reference.name,
        at: [...at, 'name'],
        ...(reference.key === undefined ? {} : { key: reference.key, keyAt: [...at, 'key'] }),
      },
    )
  for (const [index, { valueFrom = {} }] of env.entries()) {
    const at = [...path, 'env', index, 'valueFrom']
    if (valueFrom.secretKeyRef) add('Secret', valueFrom.secretKeyRef, [...at, 'secretKeyRef'])
    if (valueFrom.configMapKeyRef) add('ConfigMap', valueFrom.configMapKeyRef, [...at, 'configMapKeyRef'])
  }
  for (const [index, { secretRef, configMapRef }] of envFrom.entries()) {
    if (secretRef) add('Secret', secretRef, [...path, 'envFrom', index, 'secretRef'])
    if (configMapRef) add('ConfigMap', configMapRef, [...path, 'envFrom', index, 'configMapRef'])
  }
  return found.filter((volume) => volume !== false)
}

const checkReference = (
  { kind, name, at, key, keyAt }: Reference,
  dataKeys: DataKeys,
  report: ReportMistake,
): void => {
  const keys = dataKeys[kind].get(name)
  if (keys === undefined)
    report(
      at,
      `names "${name}", which is not a ${kind} in "objects"${suggest(name, [...dataKeys[kind].keys()])}`,
    )
  else if (key !== undefined && keyAt !== undefined && !keys.has(key))
    report(keyAt, `is "${key}", which the ${kind} "${name}" does not have${suggest(key, [...keys])}`)
}

const checkMounts = (
  mounts: Mounts,
  path: YamlPath,
  volumes: readonly string[],
  report: ReportMistake,
): void => {
  for (const [index, { name, mountPath }] of (mounts ?? []).entries()) {
    const at = [...path, 'volumeMounts', index]
    if (!volumes.includes(name))
      report([...at, 'name'], `names "${name}", which is not a volume${suggest(name, volumes)}`)
    if (mounts?.slice(0, index).some((earlier) => earlier.mountPath === mountPath))
      report([...at, 'mountPath'], `must be unique, but ${mountPath} is used twice`)
  }
}

const checkUnique = (names: readonly (readonly [string, YamlPath])[], report: ReportMistake): void => {
  const seen = new Set<string>()
  for (const [name, at] of names) {
    if (seen.has(name)) report(at, `must be unique, but "${name}" is used twice`)
    seen.add(name)
  }
}

/** `name` is the name of the service. */
export const checkDeploy = (
  name: string,
  deploy: ParsedDeploy,
  dataKeys: DataKeys,
  report: ReportMistake,
): void => {
  const reportDeploy: ReportMistake = (path, text) => report(['deploy', ...path], text)
  const { volumes = [], volumeClaimTemplates: claims = [] } = deploy
  const volumeNames = [
    ...volumes.map((volume) => volume.name),
    ...claims.map(({ metadata }) => metadata.name),
  ]
  const containers = (['initContainers', 'sidecars'] as const).flatMap((list) =>
    (deploy[list] ?? []).map((container, index) => ({ container, under: [list, index] as YamlPath })),
  )
  if (claims.length > 0 && deploy.kind !== 'StatefulSet')
    reportDeploy(['volumeClaimTemplates'], 'needs "kind: StatefulSet"')
  checkUnique(
    volumes.map((volume, index) => [volume.name, ['volumes', index, 'name']]),
    reportDeploy,
  )
  checkUnique(
    [
      [deploy.container ?? name, ['container']],
      ...containers.map(({ container, under: path }) => [container.name, [...path, 'name']] as const),
    ],
    reportDeploy,
  )
  checkMounts(deploy.volumeMounts, [], volumeNames, reportDeploy)
  for (const { container, under: path } of containers)
    checkMounts(container.volumeMounts, path, volumeNames, reportDeploy)
  const references = [
    ...ownReferences(deploy),
    ...volumeReferences(deploy),
    ...containers.flatMap(({ container, under: path }) => containerReferences(container, path)),
  ]
  for (const reference of references) checkReference(reference, dataKeys, reportDeploy)
}
