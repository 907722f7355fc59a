/** Proves that what a service's containers refer to is there: volumes, and the ConfigMaps and Secrets of the topology. */
import type { YamlPath } from '../kit/index.ts'
import { guess, type Tell } from './check-calls.ts'
import type { ParsedContainer } from './container-schema.ts'
import type { ParsedDeploy } from './deploy-schema.ts'

type Kind = 'ConfigMap' | 'Secret'
type Mounts = ParsedDeploy['volumeMounts']

/** Names and keys of what containers can read. */
export type KnownData = Readonly<Record<Kind, ReadonlyMap<string, ReadonlySet<string>>>>

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

/** Every namespace gets it from the cluster. */
const ROOT_CERTIFICATE: [string, ReadonlySet<string>] = ['kube-root-ca.crt', new Set(['ca.crt'])]

export const knownData = (objects: readonly object[], namespace: string): KnownData => {
  const own = (objects as readonly DataObject[]).filter(
    ({ metadata }) => (metadata.namespace ?? namespace) === namespace,
  )
  const of = (kind: Kind): [string, ReadonlySet<string>][] =>
    own
      .filter((object) => object.kind === kind)
      .map(({ metadata, data, stringData, binaryData }) => [
        metadata.name,
        new Set([data, stringData, binaryData].flatMap((part) => Object.keys(part ?? {}))),
      ])
  return { ConfigMap: new Map([ROOT_CERTIFICATE, ...of('ConfigMap')]), Secret: new Map(of('Secret')) }
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
    const under: YamlPath = ['volumes', index, configMap === undefined ? 'secret' : 'configMap']
    const found: Reference =
      'secretName' in source
        ? { kind: 'Secret', name: source.secretName, at: [...under, 'secretName'] }
        : { kind: 'ConfigMap', name: source.name, at: [...under, 'name'] }
    const keyed = (source.items ?? []).map(({ key }, item) => ({
      ...found,
      key,
      keyAt: [...under, 'items', item, 'key'],
    }))
    return keyed.length > 0 ? keyed : [found]
  })

const containerReferences = ({ env = [], envFrom = [] }: ParsedContainer, under: YamlPath): Reference[] => {
  const found: (Reference | false)[] = []
  const add = (
    kind: Kind,
    said: { name: string; key?: string; optional?: boolean | undefined },
    at: YamlPath,
  ) =>
    found.push(
      said.optional !== true && {
        kind,
        name: said.name,
        at: [...at, 'name'],
        ...(said.key === undefined ? {} : { key: said.key, keyAt: [...at, 'key'] }),
      },
    )
  for (const [index, { valueFrom = {} }] of env.entries()) {
    const at = [...under, 'env', index, 'valueFrom']
    if (valueFrom.secretKeyRef) add('Secret', valueFrom.secretKeyRef, [...at, 'secretKeyRef'])
    if (valueFrom.configMapKeyRef) add('ConfigMap', valueFrom.configMapKeyRef, [...at, 'configMapKeyRef'])
  }
  for (const [index, { secretRef, configMapRef }] of envFrom.entries()) {
    if (secretRef) add('Secret', secretRef, [...under, 'envFrom', index, 'secretRef'])
    if (configMapRef) add('ConfigMap', configMapRef, [...under, 'envFrom', index, 'configMapRef'])
  }
  return found.filter((one) => one !== false)
}

const checkReference = ({ kind, name, at, key, keyAt }: Reference, known: KnownData, tell: Tell): void => {
  const keys = known[kind].get(name)
  if (keys === undefined)
    tell(at, `names "${name}", which is no ${kind} of "objects"${guess(name, [...known[kind].keys()])}`)
  else if (key !== undefined && keyAt !== undefined && !keys.has(key))
    tell(keyAt, `is "${key}", which the ${kind} "${name}" does not have${guess(key, [...keys])}`)
}

const checkMounts = (mounts: Mounts, under: YamlPath, volumes: readonly string[], tell: Tell): void => {
  for (const [index, { name, mountPath }] of (mounts ?? []).entries()) {
    const at = [...under, 'volumeMounts', index]
    if (!volumes.includes(name))
      tell([...at, 'name'], `names "${name}", which is no volume${guess(name, volumes)}`)
    if (mounts?.slice(0, index).some((earlier) => earlier.mountPath === mountPath))
      tell([...at, 'mountPath'], `is ${mountPath} a second time`)
  }
}

const checkTwice = (names: readonly (readonly [string, YamlPath])[], tell: Tell): void => {
  const seen = new Set<string>()
  for (const [name, at] of names) {
    if (seen.has(name)) tell(at, `is "${name}" a second time`)
    seen.add(name)
  }
}

/** `name` is the service's. */
export const checkDeploy = (name: string, deploy: ParsedDeploy, known: KnownData, tell: Tell): void => {
  const inDeploy: Tell = (path, text) => tell(['deploy', ...path], text)
  const { volumes = [], volumeClaimTemplates: claims = [] } = deploy
  const volumeNames = [...volumes.map((one) => one.name), ...claims.map(({ metadata }) => metadata.name)]
  const containers = (['initContainers', 'sidecars'] as const).flatMap((list) =>
    (deploy[list] ?? []).map((container, index) => ({ container, under: [list, index] as YamlPath })),
  )
  if (claims.length > 0 && deploy.kind !== 'StatefulSet')
    inDeploy(['volumeClaimTemplates'], 'needs "kind: StatefulSet"')
  checkTwice(
    volumes.map((one, index) => [one.name, ['volumes', index, 'name']]),
    inDeploy,
  )
  checkTwice(
    [
      [deploy.container ?? name, ['container']],
      ...containers.map(({ container, under }) => [container.name, [...under, 'name']] as const),
    ],
    inDeploy,
  )
  checkMounts(deploy.volumeMounts, [], volumeNames, inDeploy)
  for (const { container, under } of containers)
    checkMounts(container.volumeMounts, under, volumeNames, inDeploy)
  const references = [
    ...ownReferences(deploy),
    ...volumeReferences(deploy),
    ...containers.flatMap(({ container, under }) => containerReferences(container, under)),
  ]
  for (const reference of references) checkReference(reference, known, inDeploy)
}
