/** Lists all groups, versions and resources of the API, for discovery and OpenAPI. */
import type { Kind } from '#platform/kube/kinds'
import { compareVersions } from '#platform/kube/meta'
import type { KindDirectory, Served } from '#platform/kube/resources'
import type { VirtualResource } from '../reviews/virtual-resource.ts'

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
  /** The storage version, if the resource is stored. */
  storage?: { group: string; version: string; kind: string }
  served?: Served
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const SUBRESOURCE_VERBS = ['get', 'patch', 'update']
const STREAM_VERBS = ['create', 'get']

/** Subresources other than `status` and `scale`. */
const SPECIAL_SUBRESOURCES: Readonly<Record<string, readonly SubresourceSurface[]>> = {
  namespaces: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
  pods: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: STREAM_VERBS },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: SUBRESOURCE_VERBS },
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
    ...(SPECIAL_SUBRESOURCES[kind.id] ?? []),
    ...(kind.scale === undefined
      ? []
      : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: SUBRESOURCE_VERBS }]),
    ...(kind.hasStatus ? [{ name: 'status', kind: kind.kind, verbs: SUBRESOURCE_VERBS }] : []),
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

/** All resources, sorted by plural name. */
export const surfaceResources = (
  directory: KindDirectory,
  virtual: readonly VirtualResource[],
): readonly ResourceSurface[] =>
  [
    ...directory.served().map(surfaceOf),
    ...virtual.map((resource) => ({
      group: resource.group,
      version: resource.version,
      plural: resource.plural,
      singular: resource.singular,
      kind: resource.kind,
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      shortNames: resource.shortNames ?? [],
      categories: [],
      subresources: [],
    })),
  ].sort((a, b) => (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0))

/** The order of a real server; other groups follow by name. */
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
  /** The preferred version is first. */
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
