/** Builds the discovery documents, legacy (one per group and version) and aggregated. */
import { createHash } from 'node:crypto'
import type { GroupSurface, ResourceSurface, SubresourceSurface } from './surface.ts'

const groupVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`

/** Lets clients notice that the storage version of a resource has changed. */
const storageHash = ({ group, version, kind }: { group: string; version: string; kind: string }): string =>
  createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64')

const legacyResources = (resource: ResourceSurface): object[] => [
  {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(resource.storage === undefined ? {} : { storageVersionHash: storageHash(resource.storage) }),
  },
  ...resource.subresources.map((subresource) => ({
    name: `${resource.plural}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(subresource.group === undefined ? {} : { group: subresource.group, version: subresource.version }),
    kind: subresource.kind,
    verbs: subresource.verbs,
  })),
]

/** `GET /api/v1` and `GET /apis/apps/v1`. */
export const resourceList = (
  group: string,
  version: string,
  resources: readonly ResourceSurface[],
): object => ({
  kind: 'APIResourceList',
  ...(group === '' ? {} : { apiVersion: 'v1' }),
  groupVersion: groupVersion(group, version),
  resources: resources.flatMap(legacyResources),
})

const legacyGroup = ({ name, versions }: GroupSurface): Record<string, unknown> => {
  const list = versions.map(({ version }) => ({ groupVersion: groupVersion(name, version), version }))
  return { name, versions: list, preferredVersion: list[0] }
}

/** `GET /apis`. */
export const groupList = (groups: readonly GroupSurface[]): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.filter(({ name }) => name !== '').map(legacyGroup),
})

/** `GET /apis/apps`. */
export const groupDocument = (group: GroupSurface): object => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  ...legacyGroup(group),
})

/** `GET /api`. */
export const coreVersions = (address: string): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
})

const responseKind = ({
  group = '',
  version = '',
  kind,
}: Partial<SubresourceSurface> & { kind: string }): object => ({
  group,
  version,
  kind,
})

const aggregatedResource = (resource: ResourceSurface): object => ({
  resource: resource.plural,
  responseKind: responseKind({ kind: resource.kind }),
  scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: resource.singular,
  verbs: resource.verbs,
  ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
  ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
  ...(resource.subresources.length > 0
    ? {
        subresources: resource.subresources.map((subresource) => ({
          subresource: subresource.name,
          responseKind: responseKind(subresource),
          verbs: subresource.verbs,
        })),
      }
    : {}),
})

/** `GET /api` and `GET /apis` in the aggregated form. */
export const aggregatedList = (groups: readonly GroupSurface[], apiVersion: string): object => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion,
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name === '' ? { creationTimestamp: null } : { name, creationTimestamp: null },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  })),
})
