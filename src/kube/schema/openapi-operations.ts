/** Lists what can be done with the resources of a group version, path by path. */

import { type Parameter, parametersFor } from './openapi-parameters.ts'
import type { OpenApiGroupVersion, OpenApiResource, OpenApiSubresource } from './openapi-resource.ts'
import { pathOf } from './openapi-resource.ts'
import type { GroupVersionKind } from './schema.ts'

export interface Operation {
  readonly method: string
  /** `list`, `post`, `connect` ...; absent where the resources themselves are listed. */
  readonly action?: string
  readonly id: string
  readonly kind?: GroupVersionKind
  readonly parameters: readonly Parameter[]
  /** What is sent: the type itself, a patch, DeleteOptions, or nothing. */
  readonly body?: 'object' | 'patch' | 'delete-options'
  /** What comes back. */
  readonly answer: 'object' | 'list' | 'status' | 'watch' | 'resources' | 'text'
}

export interface OpenApiPath {
  readonly path: string
  readonly operations: readonly Operation[]
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `rbac.authorization.k8s.io` is `RbacAuthorization` in operation names. */
const groupWord = (group: string): string =>
  group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map(capital)
        .join('')

/** `apps_v1`, `rbacAuthorization_v1` */
export const tagOf = ({ group, version }: OpenApiGroupVersion): string => {
  const word = groupWord(group)
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`
}

/** Verb of discovery to method, action and the verb in operation names. */
const ITEM_VERBS = [
  { verb: 'get', method: 'get', action: 'get', word: 'read', answer: 'object' },
  { verb: 'update', method: 'put', action: 'put', word: 'replace', body: 'object', answer: 'object' },
  {
    verb: 'delete',
    method: 'delete',
    action: 'delete',
    word: 'delete',
    body: 'delete-options',
    answer: 'status',
  },
  { verb: 'patch', method: 'patch', action: 'patch', word: 'patch', body: 'patch', answer: 'object' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', answer: 'object' },
] as const

const COLLECTION_VERBS = [
  { verb: 'list', method: 'get', action: 'list', word: 'list', answer: 'list' },
  { verb: 'create', method: 'post', action: 'post', word: 'create', body: 'object', answer: 'object' },
  {
    verb: 'deletecollection',
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    body: 'delete-options',
    answer: 'status',
  },
] as const

/** Kinds whose deletion answers with the object instead of a Status. */
const RETURN_DELETED = new Set([
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
])

/** Subresources that open a stream to a pod instead of reading or writing an object. */
const CONNECT_METHODS: Readonly<Record<string, readonly string[]>> = {
  attach: ['get', 'post'],
  exec: ['get', 'post'],
  portforward: ['get', 'post'],
  proxy: ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
}

/** One resource while its paths are written. */
interface Subject {
  readonly root: string
  readonly groupVersion: string
  readonly resource: OpenApiResource
  readonly kind: GroupVersionKind
  /** `Namespaced` or nothing. */
  readonly scope: string
}

const collectionPath = ({ root, resource }: Subject, prefix = ''): string =>
  resource.namespaced
    ? `${root}${prefix}/namespaces/{namespace}/${resource.plural}`
    : `${root}${prefix}/${resource.plural}`

const collection = (subject: Subject): OpenApiPath => {
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

const item = (subject: Subject): OpenApiPath => {
  const { groupVersion, resource, kind, scope } = subject
  const path = `${collectionPath(subject)}/{name}`
  const operations = ITEM_VERBS.filter(({ verb }) => verb !== 'create' && resource.verbs.includes(verb)).map(
    (entry) => ({
      ...entry,
      id: `${entry.word}${groupVersion}${scope}${resource.kind}`,
      kind,
      parameters: parametersFor(entry.action, path, undefined),
      answer:
        entry.verb === 'delete' && RETURN_DELETED.has(resource.kind) ? ('object' as const) : entry.answer,
    }),
  )
  return { path, operations }
}

const streams = (subject: Subject, { name, kind }: OpenApiSubresource): OpenApiPath[] => {
  const base = `${collectionPath(subject)}/{name}/${name}`
  const paths = name === 'proxy' ? [base, `${base}/{path}`] : [base]
  return paths.map((path, index) => ({
    path,
    operations: CONNECT_METHODS[name]!.map((method) => ({
      method,
      action: 'connect',
      id: `connect${subject.groupVersion}${capital(method)}${subject.scope}${subject.resource.kind}${capital(name)}${index === 0 ? '' : 'WithPath'}`,
      kind,
      parameters: parametersFor('connect', path, name),
      answer: 'text' as const,
    })),
  }))
}

const subresource = (subject: Subject, sub: OpenApiSubresource): OpenApiPath[] => {
  if (CONNECT_METHODS[sub.name] !== undefined) return streams(subject, sub)
  const path = `${collectionPath(subject)}/{name}/${sub.name}`
  const operations = ITEM_VERBS.filter(({ verb }) => sub.verbs.includes(verb)).map((entry) => ({
    ...entry,
    id: `${entry.word}${subject.groupVersion}${subject.scope}${subject.resource.kind}${capital(sub.name)}`,
    kind: sub.kind,
    parameters: parametersFor(entry.action, path, sub.name),
    answer: sub.name === 'log' ? ('text' as const) : entry.answer,
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
      answer: 'watch',
    },
  ],
})

const watches = (subject: Subject): OpenApiPath[] => {
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

const everywhere = ({ root, groupVersion, resource, kind }: Subject): OpenApiPath[] => {
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
          answer: 'list',
        },
      ],
    },
  ]
}

/** Parameters that every operation of a path takes: they are written once, at the path. */
export const sharedParameters = ({ operations }: OpenApiPath): Parameter[] =>
  operations[0]!.parameters.filter(({ name }) =>
    operations.every(({ parameters }) => parameters.some((parameter) => parameter.name === name)),
  )

/** All paths, sorted. */
export const openApiPaths = (groupVersion: OpenApiGroupVersion): OpenApiPath[] => {
  const root = `/${pathOf(groupVersion)}`
  const word = `${groupWord(groupVersion.group)}${capital(groupVersion.version)}`
  const paths: OpenApiPath[] = [
    {
      path: `${root}/`,
      operations: [{ method: 'get', id: `get${word}APIResources`, parameters: [], answer: 'resources' }],
    },
  ]
  for (const resource of groupVersion.resources) {
    const kind = { group: groupVersion.group, version: groupVersion.version, kind: resource.kind }
    const scope = resource.namespaced ? 'Namespaced' : ''
    const subject: Subject = { root, groupVersion: word, resource, kind, scope }
    paths.push(
      collection(subject),
      item(subject),
      ...(resource.subresources ?? []).flatMap((sub) => subresource(subject, sub)),
      ...everywhere(subject),
      ...watches(subject),
    )
  }
  return paths.filter(({ operations }) => operations.length > 0).sort((a, b) => (a.path < b.path ? -1 : 1))
}
