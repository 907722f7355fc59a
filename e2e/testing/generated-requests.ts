/** Generates valid, nearly valid and invalid requests. The same seed generates the same requests. */

import fc from 'fast-check'
import { defined } from '#kit'
import { OBJECT_TEMPLATES, type ObjectTemplate } from './object-templates.ts'

export interface GeneratedRequest {
  method: string
  path: string
  body?: string
  headers: Record<string, string>
}

const NAMES = [
  'a',
  'b',
  'web',
  'x-1',
  'kubernetes',
  'Bad_Name',
  'a'.repeat(64),
  '..',
  'a%2Fb',
  '%00',
  '__proto__',
  '',
]
const NAMESPACES = ['default', 'one', 'two', 'kube-system', 'missing', 'Bad']

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'web', 'x-1') },
  fc.constantFrom(...NAMES),
)
const namespace = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('default', 'one', 'two') },
  fc.constantFrom(...NAMESPACES),
)

/** Values of unexpected types and forms. */
const oddity = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    2 ** 31,
    2 ** 53,
    1.5,
    1e300,
    true,
    [],
    {},
    [null],
    [[]],
    { '': '' },
    '1e999999999',
    '9'.repeat(200),
    '100%',
    '0.5',
    '2026-01-01T00:00:00Z',
    '../../etc',
    'a'.repeat(300),
    '\u0000',
    '\ud800',
    'ÿ😀',
    JSON.parse('{"__proto__":{"polluted":"yes"}}'),
    { constructor: { prototype: { polluted: 'yes' } } },
    { $patch: 'delete' },
    { $patch: 'replace' },
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)

type Json = unknown

/** The path of every member of a value. */
const placesIn = (value: Json, path: (string | number)[] = []): (string | number)[][] => {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))]
}

const replaced = (value: Json, [step, ...rest]: (string | number)[], put: Json, remove: boolean): Json => {
  if (step === undefined) return put
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      if (String(index) !== String(step)) return [item]
      return remove && rest.length === 0 ? [] : [replaced(item, rest, put, remove)]
    })
  const copy: Record<string, unknown> = { ...(value as object) }
  if (remove && rest.length === 0) delete copy[step]
  else copy[step] = replaced(copy[step], rest, put, remove)
  return copy
}

const metadata = fc.record(
  {
    name,
    namespace,
    generateName: fc.constantFrom('gen-', 'Bad_', 'a'.repeat(70)),
    labels: fc.constantFrom<unknown>({ app: 'web' }, { app: 'db', tier: '1' }, { 'bad key': 'x' }, 5, null),
    annotations: fc.constantFrom<unknown>({ note: 'x' }, { 'k/': '' }, []),
    finalizers: fc.constantFrom<unknown>(['example.com/hold'], [], ['no-slash'], 'x', ['foregroundDeletion']),
    resourceVersion: fc.constantFrom<unknown>('1', '', '999999999', 'x', 7),
    uid: fc.constantFrom<unknown>('nope', ''),
    ownerReferences: fc.constantFrom<unknown>(
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true }],
      [{}],
      {},
    ),
    deletionTimestamp: fc.constantFrom<unknown>('2026-01-01T00:00:00Z', 'x'),
    managedFields: fc.constantFrom<unknown>(
      [],
      [{}],
      [{ manager: 'm', operation: 'Apply', fieldsV1: { 'f:x': 1 } }],
    ),
    foo: fc.constant('unknown'),
  },
  { requiredKeys: ['name'] },
)

/** Mostly a valid object; sometimes one member is replaced or removed. */
const objectOf = ({ object }: ObjectTemplate) =>
  fc
    .record({
      meta: fc.oneof({ weight: 3, arbitrary: fc.record({ name }) }, metadata),
      place: fc.nat(),
      change: fc.option(fc.record({ put: oddity, remove: fc.boolean() }), { freq: 2, nil: undefined }),
    })
    .map(({ meta, place, change }): Json => {
      const whole = { ...object, metadata: meta }
      if (change === undefined) return whole
      const places = placesIn(whole)
      return replaced(whole, places[place % places.length]!, change.put, change.remove)
    })

const rubbish = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"a":1,"a":2}',
    '{"kind":"Pod"',
    '\u0000',
    'a: [',
    '- - -',
    '&a [*a]',
  ),
  fc.constant('['.repeat(5000)),
  fc.constant(`${'{"spec":'.repeat(700)}1${'}'.repeat(700)}`),
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 3 }),
)

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
  fc.oneof({ weight: 9, arbitrary: objectOf(template).map((value) => JSON.stringify(value)) }, rubbish)

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

const placeOf = ({ root, plural, namespaced }: ObjectTemplate, within: string): string =>
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
      value: oddity,
    }),
    { maxLength: 4 },
  )
  .map((value) => JSON.stringify(value))

const patchFor = (template: ObjectTemplate) =>
  fc.oneof(
    fc.tuple(
      fc.constant('application/json-patch+json'),
      fc.oneof({ weight: 6, arbitrary: jsonPatch }, rubbish),
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

const part = fc.constantFrom(
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

/** Requests about one kind. */
const aboutKind = (template: ObjectTemplate): fc.Arbitrary<GeneratedRequest> => {
  const target = fc.record({ within: namespace, name, part, query: parameter, type: objectType, accept })
  const collection = ({ within, query }: { within: string; query: string }): string =>
    `${placeOf(template, within)}?${query}`
  const one = (at: { within: string; name: string; part: string; query: string }): string =>
    `${placeOf(template, at.within)}/${at.name}${at.part === '' ? '' : `/${at.part}`}?${at.query}`
  const withBody = (method: string) =>
    fc.tuple(target, bodyFor(template)).map(([at, body]) => ({
      method,
      path: method === 'POST' && at.part !== 'status' ? collection(at) : one(at),
      body,
      headers: { accept: at.accept, ...(at.type === '' ? {} : { 'content-type': at.type }) },
    }))
  return fc.oneof(
    { weight: 7, arbitrary: withBody('POST') },
    { weight: 3, arbitrary: withBody('PUT') },
    {
      weight: 6,
      arbitrary: fc.tuple(target, patchFor(template)).map(([at, [type, body]]) => ({
        method: 'PATCH',
        path: `${one(at)}&fieldManager=f`,
        body,
        headers: { accept: at.accept, 'content-type': type },
      })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(target, fc.option(fc.oneof(deletion, rubbish), { nil: undefined }))
        .map(([at, body]) => ({
          method: 'DELETE',
          path: one({ ...at, part: '' }),
          ...defined({ body }),
          headers: { accept: at.accept },
        })),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(target, selection).map(([at, query]) => ({
        method: 'GET',
        path: `${placeOf(template, at.within)}?${query}`,
        headers: { accept: at.accept },
      })),
    },
    {
      weight: 2,
      arbitrary: target.map((at) => ({ method: 'GET', path: one(at), headers: { accept: at.accept } })),
    },
  )
}

/** Requests for no kind, or with wrong paths and methods. */
const stray: fc.Arbitrary<GeneratedRequest> = fc.record({
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
    rubbish,
    oddity.map((spec) => JSON.stringify({ spec })),
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
  fc.sample(fc.oneof({ weight: 14, arbitrary: fc.oneof(...OBJECT_TEMPLATES.map(aboutKind)) }, stray), {
    seed,
    numRuns: count,
  })
