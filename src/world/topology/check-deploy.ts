/** Checks a service's Kubernetes settings: names are unique, and volumes, ConfigMaps and Secrets exist. */
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
  readonly path: YamlPath
  readonly key?: string
  readonly keyPath?: YamlPath
}

interface DataObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: unknown }
  readonly data?: unknown
  readonly stringData?: unknown
  readonly binaryData?: unknown
}

/** The ConfigMap that the cluster creates in every namespace. */
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

const environmentReferences = ({ env = {}, envFrom = [] }: ParsedDeploy): Reference[] => [
  ...Object.entries(env).flatMap(([variable, value]): Reference[] => {
    if (typeof value === 'string' || 'field' in value) return []
    const path = ['env', variable]
    const keyReference = { key: value.key, keyPath: [...path, 'key'] }
    return 'secret' in value
      ? [{ kind: 'Secret', name: value.secret, path: [...path, 'secret'], ...keyReference }]
      : [{ kind: 'ConfigMap', name: value.configMap, path: [...path, 'configMap'], ...keyReference }]
  }),
  ...envFrom.map(
    (source, index): Reference =>
      'secret' in source
        ? { kind: 'Secret', name: source.secret, path: ['envFrom', index, 'secret'] }
        : { kind: 'ConfigMap', name: source.configMap, path: ['envFrom', index, 'configMap'] },
  ),
]

const volumeReferences = ({ volumes = [] }: ParsedDeploy): Reference[] =>
  volumes.flatMap(({ configMap, secret }, index): Reference[] => {
    const source = configMap ?? secret
    if (source === undefined || source.optional === true) return []
    const path: YamlPath = ['volumes', index, configMap === undefined ? 'secret' : 'configMap']
    const reference: Reference =
      'secretName' in source
        ? { kind: 'Secret', name: source.secretName, path: [...path, 'secretName'] }
        : { kind: 'ConfigMap', name: source.name, path: [...path, 'name'] }
    const keyReferences = (source.items ?? []).map(({ key }, item) => ({
      ...reference,
      key,
      keyPath: [...path, 'items', item, 'key'],
    }))
    return keyReferences.length > 0 ? keyReferences : [reference]
  })

const containerReferences = ({ env = [], envFrom = [] }: ParsedContainer, path: YamlPath): Reference[] => {
  const found: (Reference | false)[] = []
  const add = (
    kind: Kind,
    reference: { name: string; key?: string; optional?: boolean | undefined },
    referencePath: YamlPath,
  ) =>
    found.push(
      reference.optional !== true && {
        kind,
        name: reference.name,
        path: [...referencePath, 'name'],
        ...(reference.key === undefined ? {} : { key: reference.key, keyPath: [...referencePath, 'key'] }),
      },
    )
  for (const [index, { valueFrom = {} }] of env.entries()) {
    const valuePath = [...path, 'env', index, 'valueFrom']
    if (valueFrom.secretKeyRef) add('Secret', valueFrom.secretKeyRef, [...valuePath, 'secretKeyRef'])
    if (valueFrom.configMapKeyRef)
      add('ConfigMap', valueFrom.configMapKeyRef, [...valuePath, 'configMapKeyRef'])
  }
  for (const [index, { secretRef, configMapRef }] of envFrom.entries()) {
    if (secretRef) add('Secret', secretRef, [...path, 'envFrom', index, 'secretRef'])
    if (configMapRef) add('ConfigMap', configMapRef, [...path, 'envFrom', index, 'configMapRef'])
  }
  return found.filter((reference) => reference !== false)
}

const checkReference = (
  { kind, name, path, key, keyPath }: Reference,
  dataKeys: DataKeys,
  report: ReportMistake,
): void => {
  const keys = dataKeys[kind].get(name)
  if (keys === undefined)
    report(
      path,
      `names "${name}", which is not a ${kind} in "objects"${suggest(name, [...dataKeys[kind].keys()])}`,
    )
  else if (key !== undefined && keyPath !== undefined && !keys.has(key))
    report(keyPath, `is "${key}", which the ${kind} "${name}" does not have${suggest(key, [...keys])}`)
}

const checkMounts = (
  mounts: Mounts,
  path: YamlPath,
  volumes: readonly string[],
  report: ReportMistake,
): void => {
  for (const [index, { name, mountPath }] of (mounts ?? []).entries()) {
    const mountPosition = [...path, 'volumeMounts', index]
    if (!volumes.includes(name))
      report([...mountPosition, 'name'], `names "${name}", which is not a volume${suggest(name, volumes)}`)
    if (mounts?.slice(0, index).some((earlier) => earlier.mountPath === mountPath))
      report([...mountPosition, 'mountPath'], `must be unique, but ${mountPath} is used twice`)
  }
}

const checkUnique = (names: readonly (readonly [string, YamlPath])[], report: ReportMistake): void => {
  const seen = new Set<string>()
  for (const [name, path] of names) {
    if (seen.has(name)) report(path, `must be unique, but "${name}" is used twice`)
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
    (deploy[list] ?? []).map((container, index) => ({ container, path: [list, index] as YamlPath })),
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
      ...containers.map(({ container, path }) => [container.name, [...path, 'name']] as const),
    ],
    reportDeploy,
  )
  checkMounts(deploy.volumeMounts, [], volumeNames, reportDeploy)
  for (const { container, path } of containers)
    checkMounts(container.volumeMounts, path, volumeNames, reportDeploy)
  const references = [
    ...environmentReferences(deploy),
    ...volumeReferences(deploy),
    ...containers.flatMap(({ container, path }) => containerReferences(container, path)),
  ]
  for (const reference of references) checkReference(reference, dataKeys, reportDeploy)
}
