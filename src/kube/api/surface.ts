/** Everything that the API serves, as discovery and OpenAPI describe it. */
import type { Kind } from '../kinds/index.ts'
import { compareVersions } from '../meta/index.ts'
import type { KindDirectory, Served } from '../resources/index.ts'
import type { VirtualResource } from './virtual-resource.ts'

export interface SubresourceSurface {
  name: string
  kind: string
  group?: string
  version?: string
  verbs: readonly string[]
}

export interface ResourceSurface {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: boolean
  verbs: readonly string[]
  shortNames: readonly string[]
  categories: readonly string[]
  subresources: readonly SubresourceSurface[]
  /** Of resources that are stored: the version in which they are. */
  storage?: { group: string; version: string; kind: string }
  served?: Served
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const PART_VERBS = ['get', 'patch', 'update']
const STREAM_VERBS = ['create', 'get']

/** Subresources beyond `status` and `scale`, which any kind may have. */
const SPECIAL: Readonly<Record<string, readonly SubresourceSurface[]>> = {
  namespaces: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  pods: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: STREAM_VERBS },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: PART_VERBS },
    { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: STREAM_VERBS },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: STREAM_VERBS },
  ],
  serviceaccounts: [
    { name: 'token', group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] },
  ],
}

export const subresourcesOf = (kind: Kind): SubresourceSurface[] =>
  [
    ...(SPECIAL[kind.id] ?? []),
    ...(kind.scale === undefined
      ? []
      : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: PART_VERBS }]),
    ...(kind.hasStatus ? [{ name: 'status', kind: kind.kind, verbs: PART_VERBS }] : []),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))

const surfaceOf = (served: Served): ResourceSurface => ({
  group: served.group,
  version: served.version,
  plural: served.kind.plural,
  singular: served.kind.singular,
  kind: served.kind.kind,
  namespaced: served.kind.namespaced,
  verbs: served.kind.verbs ?? ALL_VERBS,
  shortNames: served.kind.shortNames ?? [],
  categories: served.kind.categories ?? [],
  subresources: subresourcesOf(served.kind),
  storage: { group: served.kind.group, version: served.kind.version, kind: served.kind.kind },
  served,
})

/** All resources of all groups, sorted by name within each. */
export const surfaceResources = (
  directory: KindDirectory,
  virtual: readonly VirtualResource[],
): readonly ResourceSurface[] =>
  [
    ...directory.served().map(surfaceOf),
    ...virtual.map((one) => ({
      group: one.group,
      version: one.version,
      plural: one.plural,
      singular: one.singular,
      kind: one.kind,
      namespaced: one.namespaced,
      verbs: one.verbs,
      shortNames: one.shortNames ?? [],
      categories: [],
      subresources: [],
    })),
  ].sort((a, b) => (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0))

/** Groups in the order in which a real server lists them; others follow by name. */
const GROUP_ORDER = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
]

export interface GroupSurface {
  name: string
  /** The preferred one first. */
  versions: readonly { version: string; resources: readonly ResourceSurface[] }[]
}

const groupRank = (name: string): number => {
  const index = GROUP_ORDER.indexOf(name)
  return index < 0 ? GROUP_ORDER.length : index
}

export const surfaceGroups = (resources: readonly ResourceSurface[]): readonly GroupSurface[] => {
  const groups = Map.groupBy(resources, ({ group }) => group)
  return [...groups.entries()]
    .sort(([a], [b]) => groupRank(a) - groupRank(b) || (a < b ? -1 : 1))
    .map(([name, members]) => ({
      name,
      versions: [...Map.groupBy(members, ({ version }) => version).entries()]
        .sort(([a], [b]) => compareVersions(b, a))
        .map(([version, list]) => ({ version, resources: list })),
    }))
}
