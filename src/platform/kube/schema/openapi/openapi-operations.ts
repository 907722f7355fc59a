/** Lists the paths and operations of a group version. */

import type { GroupVersionKind } from '../schema.ts'
import { type Parameter, parametersFor } from './openapi-parameters.ts'
import type { OpenApiGroupVersion, OpenApiResource, OpenApiSubresource } from './openapi-resource.ts'
import { pathOf } from './openapi-resource.ts'
import { COLLECTION_VERBS, CONNECT_METHODS, ITEM_VERBS, RETURN_DELETED } from './openapi-verbs.ts'

export interface Operation {
  readonly method: string
  /** `list`, `post`, `connect` ...; undefined for the operation that lists API resources. */
  readonly action?: string
  readonly id: string
  readonly kind?: GroupVersionKind
  readonly parameters: readonly Parameter[]
  /** The request body: the type itself, a patch, DeleteOptions, or none. */
  readonly body?: 'object' | 'patch' | 'delete-options'
  /** The response body. */
  readonly response: 'object' | 'list' | 'status' | 'watch' | 'resources' | 'text'
}

export interface OpenApiPath {
  readonly path: string
  readonly operations: readonly Operation[]
}

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the group in operation ids: `RbacAuthorization` for `rbac.authorization.k8s.io`. */
const groupWord = (group: string): string =>
  group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map(capitalise)
        .join('')

/** Returns the tag of a group version: `apps_v1`, `rbacAuthorization_v1`. */
export const tagOf = ({ group, version }: OpenApiGroupVersion): string => {
  const word = groupWord(group)
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`
}

/** A resource with the parts of its paths and operation ids. */
interface Subject {
  readonly root: string
  readonly groupVersion: string
  readonly resource: OpenApiResource
  readonly kind: GroupVersionKind
  /** `Namespaced`, or empty for cluster-scoped resources. */
  readonly scope: string
}

const collectionPath = ({ root, resource }: Subject, prefix = ''): string =>
  resource.namespaced
    ? `${root}${prefix}/namespaces/{namespace}/${resource.plural}`
    : `${root}${prefix}/${resource.plural}`

const pathOfCollection = (subject: Subject): OpenApiPath => {
  const { groupVersion, resource, kind, scope } = subject
  const path = collectionPath(subject)
  const operations = COLLECTION_VERBS.filter(({ verb }) => resource.verbs.includes(verb)).map((entry) => ({
    ...entry,
    id: `${entry.word}${groupVersion}${entry.verb === 'deletecollection' ? 'Collection' : ''}${scope}${resource.kind}`,
    kind,
    parameters: parametersFor(entry.action, path, undefined),
  }))
  return { path, operations }
}

const pathOfItem = (subject: Subject): OpenApiPath => {
  const { groupVersion, resource, kind, scope } = subject
  const path = `${collectionPath(subject)}/{name}`
  const operations = ITEM_VERBS.filter(({ verb }) => verb !== 'create' && resource.verbs.includes(verb)).map(
    (entry) => ({
      ...entry,
      id: `${entry.word}${groupVersion}${scope}${resource.kind}`,
      kind,
      parameters: parametersFor(entry.action, path, undefined),
      response:
        entry.verb === 'delete' && RETURN_DELETED.has(resource.kind) ? ('object' as const) : entry.response,
    }),
  )
  return { path, operations }
}

const streamPaths = (subject: Subject, { name, kind }: OpenApiSubresource): OpenApiPath[] => {
  const base = `${collectionPath(subject)}/{name}/${name}`
  const paths = name === 'proxy' ? [base, `${base}/{path}`] : [base]
  return paths.map((path, index) => ({
    path,
    operations: CONNECT_METHODS[name]!.map((method) => ({
      method,
      action: 'connect',
      id: `connect${subject.groupVersion}${capitalise(method)}${subject.scope}${subject.resource.kind}${capitalise(name)}${index === 0 ? '' : 'WithPath'}`,
      kind,
      parameters: parametersFor('connect', path, name),
      response: 'text' as const,
    })),
  }))
}

const subresourcePaths = (subject: Subject, sub: OpenApiSubresource): OpenApiPath[] => {
  if (CONNECT_METHODS[sub.name] !== undefined) return streamPaths(subject, sub)
  const path = `${collectionPath(subject)}/{name}/${sub.name}`
  const operations = ITEM_VERBS.filter(({ verb }) => sub.verbs.includes(verb)).map((entry) => ({
    ...entry,
    id: `${entry.word}${subject.groupVersion}${subject.scope}${subject.resource.kind}${capitalise(sub.name)}`,
    kind: sub.kind,
    parameters: parametersFor(entry.action, path, sub.name),
    response: sub.name === 'log' ? ('text' as const) : entry.response,
  }))
  return [{ path, operations }]
}

const watchPath = (subject: Subject, path: string, action: string, id: string): OpenApiPath => ({
  path,
  operations: [
    {
      method: 'get',
      action,
      id,
      kind: subject.kind,
      parameters: parametersFor(action, path, undefined),
      response: 'watch',
    },
  ],
})

const watchPaths = (subject: Subject): OpenApiPath[] => {
  const { root, groupVersion, resource, scope } = subject
  if (!resource.verbs.includes('watch')) return []
  const list = collectionPath(subject, '/watch')
  const word = `watch${groupVersion}`
  return [
    watchPath(subject, list, 'watchlist', `${word}${scope}${resource.kind}List`),
    watchPath(subject, `${list}/{name}`, 'watch', `${word}${scope}${resource.kind}`),
    ...(resource.namespaced
      ? [
          watchPath(
            subject,
            `${root}/watch/${resource.plural}`,
            'watchlist',
            `${word}${resource.kind}ListForAllNamespaces`,
          ),
        ]
      : []),
  ]
}

const allNamespacesPaths = ({ root, groupVersion, resource, kind }: Subject): OpenApiPath[] => {
  if (!resource.namespaced || !resource.verbs.includes('list')) return []
  const path = `${root}/${resource.plural}`
  return [
    {
      path,
      operations: [
        {
          method: 'get',
          action: 'list',
          id: `list${groupVersion}${resource.kind}ForAllNamespaces`,
          kind,
          parameters: parametersFor('list', path, undefined),
          response: 'list',
        },
      ],
    },
  ]
}

/** Returns the parameters that all operations of a path take. They are written once, at the path. */
export const sharedParameters = ({ operations }: OpenApiPath): Parameter[] =>
  operations[0]!.parameters.filter(({ name }) =>
    operations.every(({ parameters }) => parameters.some((parameter) => parameter.name === name)),
  )

/** Returns all paths, sorted. */
export const openApiPaths = (groupVersion: OpenApiGroupVersion): OpenApiPath[] => {
  const root = `/${pathOf(groupVersion)}`
  const word = `${groupWord(groupVersion.group)}${capitalise(groupVersion.version)}`
  const paths: OpenApiPath[] = [
    {
      path: `${root}/`,
      operations: [{ method: 'get', id: `get${word}APIResources`, parameters: [], response: 'resources' }],
    },
  ]
  for (const resource of groupVersion.resources) {
    const kind = { group: groupVersion.group, version: groupVersion.version, kind: resource.kind }
    const scope = resource.namespaced ? 'Namespaced' : ''
    const subject: Subject = { root, groupVersion: word, resource, kind, scope }
    paths.push(
      pathOfCollection(subject),
      pathOfItem(subject),
      ...(resource.subresources ?? []).flatMap((sub) => subresourcePaths(subject, sub)),
      ...allNamespacesPaths(subject),
      ...watchPaths(subject),
    )
  }
  return paths.filter(({ operations }) => operations.length > 0).sort((a, b) => (a.path < b.path ? -1 : 1))
}
