/** Generates valid, almost valid and invalid requests. The same seed generates the same requests. */
import fc from 'fast-check'
import { defined } from '#kit'
import { malformedBody, name, namespace, objectOf, unexpectedValue } from './generated-bodies.ts'
import { OBJECT_TEMPLATES, type ObjectTemplate } from './object-templates.ts'

export interface GeneratedRequest {
  method: string
  path: string
  body?: string
  headers: Record<string, string>
}

const JSON_TYPE = 'application/json'
const objectType = fc.oneof(
  { weight: 12, arbitrary: fc.constant(JSON_TYPE) },
  fc.constantFrom(
    'application/yaml',
    'application/json; charset=utf-8',
    '',
    'text/plain',
    'application/vnd.kubernetes.protobuf',
  ),
)
const accept = fc.oneof(
  { weight: 12, arbitrary: fc.constant(JSON_TYPE) },
  fc.constantFrom(
    'application/yaml',
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    'nonsense',
    '*/*',
  ),
)

const bodyFor = (template: ObjectTemplate) =>
  fc.oneof({ weight: 9, arbitrary: objectOf(template).map((value) => JSON.stringify(value)) }, malformedBody)

const parameter = fc.constantFrom(
  '',
  '',
  '',
  'dryRun=All',
  'dryRun=Some',
  'fieldValidation=Strict',
  'fieldValidation=x',
  'fieldManager=m',
  `fieldManager=${'m'.repeat(200)}`,
  'pretty=true',
  'force=true',
)

const selection = fc.constantFrom(
  '',
  'labelSelector=app%3Dweb',
  'labelSelector=app%20in%20(web,db),!x',
  'labelSelector=%3D%3D',
  `labelSelector=${'a,'.repeat(500)}`,
  'fieldSelector=metadata.name%3Da',
  'fieldSelector=spec.foo%3D1',
  'fieldSelector=%3D%3D%3D',
  'limit=2',
  'limit=-1',
  'limit=x',
  'limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0',
  'continue=%00',
  'resourceVersion=0',
  'resourceVersion=1&resourceVersionMatch=Exact',
  'resourceVersion=99999999',
  'resourceVersion=x',
  'watch=true&timeoutSeconds=1&resourceVersion=x',
  'sendInitialEvents=true',
)

const collectionPath = ({ root, plural, namespaced }: ObjectTemplate, within: string): string =>
  namespaced ? `${root}/namespaces/${within}/${plural}` : `${root}/${plural}`

const grace = fc.constantFrom<unknown>(undefined, 0, 1, -5, 'x', 1.5)
const deletion = fc
  .record({
    gracePeriodSeconds: grace,
    propagationPolicy: fc.constantFrom<unknown>(undefined, 'Orphan', 'Foreground', 'Background', 'x', 3),
    preconditions: fc.constantFrom<unknown>(undefined, { uid: 'x' }, { resourceVersion: 'x' }, 'x', {}),
    dryRun: fc.constantFrom<unknown>(undefined, ['All'], ['x'], 'All'),
  })
  .map((value) => JSON.stringify(value))

const jsonPatch = fc
  .array(
    fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
      path: fc.constantFrom(
        '/metadata/labels/x',
        '/metadata/labels',
        '/metadata',
        '/spec',
        '/spec/replicas',
        '/spec/template/spec/containers/0/image',
        '/spec/template/spec/containers/-',
        '/data/key',
        '/data/__proto__',
        '/__proto__/polluted',
        '/status',
        '/kind',
        '',
        'x',
        '/metadata/managedFields',
      ),
      from: fc.constantFrom('/metadata/labels', '/spec', '/x'),
      value: unexpectedValue,
    }),
    { maxLength: 4 },
  )
  .map((value) => JSON.stringify(value))

const patchFor = (template: ObjectTemplate) =>
  fc.oneof(
    fc.tuple(
      fc.constant('application/json-patch+json'),
      fc.oneof({ weight: 6, arbitrary: jsonPatch }, malformedBody),
    ),
    fc.tuple(
      fc.constantFrom(
        'application/merge-patch+json',
        'application/strategic-merge-patch+json',
        'application/apply-patch+yaml',
        'application/apply-patch+yaml',
        'application/json',
      ),
      bodyFor(template),
    ),
  )

const subresource = fc.constantFrom(
  '',
  '',
  '',
  '',
  'status',
  'scale',
  'finalize',
  'ephemeralcontainers',
  'nope',
  'log',
  'exec',
)

const requestsFor = (template: ObjectTemplate): fc.Arbitrary<GeneratedRequest> => {
  const targets = fc.record({
    within: namespace,
    name,
    subresource,
    query: parameter,
    type: objectType,
    accept,
  })
  const collectionUrl = ({ within, query }: { within: string; query: string }): string =>
    `${collectionPath(template, within)}?${query}`
  const objectPath = (target: { within: string; name: string; subresource: string; query: string }): string =>
    `${collectionPath(template, target.within)}/${target.name}${target.subresource === '' ? '' : `/${target.subresource}`}?${target.query}`
  const withBody = (method: string) =>
    fc.tuple(targets, bodyFor(template)).map(([target, body]) => ({
      method,
      path: method === 'POST' && target.subresource !== 'status' ? collectionUrl(target) : objectPath(target),
      body,
      headers: { accept: target.accept, ...(target.type === '' ? {} : { 'content-type': target.type }) },
    }))
  return fc.oneof(
    { weight: 7, arbitrary: withBody('POST') },
    { weight: 3, arbitrary: withBody('PUT') },
    {
      weight: 6,
      arbitrary: fc.tuple(targets, patchFor(template)).map(([target, [type, body]]) => ({
        method: 'PATCH',
        path: `${objectPath(target)}&fieldManager=f`,
        body,
        headers: { accept: target.accept, 'content-type': type },
      })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(targets, fc.option(fc.oneof(deletion, malformedBody), { nil: undefined }))
        .map(([target, body]) => ({
          method: 'DELETE',
          path: objectPath({ ...target, subresource: '' }),
          ...defined({ body }),
          headers: { accept: target.accept },
        })),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(targets, selection).map(([target, query]) => ({
        method: 'GET',
        path: `${collectionPath(template, target.within)}?${query}`,
        headers: { accept: target.accept },
      })),
    },
    {
      weight: 2,
      arbitrary: targets.map((target) => ({
        method: 'GET',
        path: objectPath(target),
        headers: { accept: target.accept },
      })),
    },
  )
}

/** Requests outside the collections of kinds, or with wrong paths and methods. */
const otherRequests: fc.Arbitrary<GeneratedRequest> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
  path: fc.oneof(
    fc.constantFrom(
      '/',
      '/api',
      '/apis',
      '/api/v1',
      '/apis/apps/v1',
      '/apis/nope/v1/foos',
      '/api/v9/pods',
      '/version',
      '/healthz',
      '/readyz?verbose',
      '/metrics',
      '/openapi/v2x',
      '/api/v1/pods',
      '/api/v1/namespaces/default/pods/a/eviction',
      '/api/v1/namespaces/default/pods/a/binding',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods',
      '/apis/apps/v1/namespaces/one/configmaps',
      '/api/v1/namespaces/one',
      '/api/v1/watch/pods?timeoutSeconds=0&resourceVersion=x',
      '/%',
      '//',
    ),
    fc.webPath(),
  ),
  body: fc.oneof(
    malformedBody,
    unexpectedValue.map((spec) => JSON.stringify({ spec })),
    fc.constantFrom(
      '{"target":{"name":"nowhere"}}',
      '{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}',
      '{"spec":{"user":"u","groups":["g"],"nonResourceAttributes":{"path":"/x","verb":"get"}}}',
      '{"spec":{"token":"x"}}',
      '{"spec":{"namespace":"default"}}',
      '{"spec":{"expirationSeconds":1}}',
      '{"metadata":{"name":"a"},"deleteOptions":{"gracePeriodSeconds":0}}',
    ),
  ),
  headers: fc.record({ 'content-type': objectType.filter((type) => type !== ''), accept }),
})

export const generateRequests = (seed: number, count: number): GeneratedRequest[] =>
  fc.sample(
    fc.oneof({ weight: 14, arbitrary: fc.oneof(...OBJECT_TEMPLATES.map(requestsFor)) }, otherRequests),
    {
      seed,
      numRuns: count,
    },
  )
