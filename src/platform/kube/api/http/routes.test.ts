/** Tests the routes of the API over HTTP: paths, verbs, authorisation, content types, discovery and metrics. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
  await api.send(MAPS, { method: 'POST', body: { metadata: { name: 'a' }, data: { k: 'v' } } })
})
afterAll(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const NOT_FOUND = 'the server could not find the requested resource'
const NOT_ALLOWED = 'the server does not allow this method on the requested resource'

describe('routes', () => {
  it.each([
    ['POST', `${MAPS}/a`, 405],
    ['PUT', MAPS, 405],
    ['PATCH', MAPS, 405],
    ['HEAD', `${MAPS}/a`, 405],
    ['OPTIONS', `${MAPS}/a`, 405],
    ['POST', '/api/v1/configmaps', 405],
    ['DELETE', '/api/v1/configmaps', 405],
    ['POST', '/version', 405],
    ['DELETE', '/api/v1/namespaces', 405],
    ['PATCH', '/api/v1/namespaces/default/finalize', 405],
    ['POST', '/api/v1/namespaces/default/pods/x/status', 405],
    ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 405],
    ['GET', '/api/v1/configmaps/a', 404],
    ['GET', '/api/v1/namespaces/default/nodes', 404],
    ['GET', '/api/v1/namespaces/default/deployments', 404],
    ['GET', `${MAPS}/a/status`, 404],
    ['GET', `${MAPS}/a/scale`, 404],
    ['GET', `${MAPS}/a/nope`, 404],
    ['GET', `${MAPS}/a%2Fstatus`, 404],
    ['GET', '/api/v1/namespaces/default/pods/a/resize', 404],
    ['POST', '/apis/authorization.k8s.io/v1/namespaces/x/selfsubjectaccessreviews', 404],
  ])('%s %s is %i', async (method, path, code) => {
    const answer = await api.send(path, { method, ...(method === 'POST' ? { body: {} } : {}) })
    expect(answer.code).toBe(code)
    if (method !== 'HEAD')
      expect(answer.json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: code === 404 ? NOT_FOUND : NOT_ALLOWED,
        reason: code === 404 ? 'NotFound' : 'MethodNotAllowed',
        details: {},
        code,
      })
  })

  it.each([
    '/apis/nope.example/v1/foos',
    '/api/v9/pods',
    '/apis/apps/v9',
    '/nowhere',
    '/api/apps%2Fv1/deployments',
  ])('%s is a plain 404', async (path) => {
    const { code, text, headers } = await api.send(path)
    expect([code, text]).toEqual([404, '404 page not found\n'])
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('rejects a path with invalid percent-encoding', async () => {
    expect(await api.send('/api/v1/%zz')).toMatchObject({ code: 400, text: '400 Bad Request' })
  })

  it('watches a named object only through the /watch/ path; a get ignores the watch parameter', async () => {
    expect((await api.send(`${MAPS}/a?watch=true`)).json.kind).toBe('ConfigMap')
    const { text } = await api.send(
      '/api/v1/watch/namespaces/default/configmaps/b?timeoutSeconds=1&resourceVersion=x',
    )
    expect(JSON.parse(text)).toMatchObject({ reason: 'Invalid' })
  })
})

describe('authorisation', () => {
  it('comes before routing and reading the body', async () => {
    const anonymous = { headers: { Authorization: '' } }
    expect((await api.send('/api/v1/pods', anonymous)).json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
      reason: 'Forbidden',
      details: { kind: 'pods' },
      code: 403,
    })
    for (const [path, method] of [
      ['/apis/nope.example/v1/foos', 'GET'],
      [`${MAPS}/a/nope`, 'GET'],
      [`${MAPS}/a`, 'OPTIONS'],
      [MAPS, 'POST'],
    ] as const)
      expect((await api.send(path, { ...anonymous, method, body: '{' })).code).toBe(403)
    expect((await api.send('/version', anonymous)).json.message).toBe(
      'forbidden: User "system:anonymous" cannot get path "/version"',
    )
  })

  it('rejects an invalid token with 401', async () => {
    expect((await api.send('/version', { headers: { Authorization: 'Bearer wrong' } })).json).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    })
    expect((await api.send('/version', { headers: { Authorization: 'bearer someone' } })).code).toBe(200)
  })

  it('treats a Namespace as inside itself, and a list by name as a request for that object', async () => {
    const seen: unknown[] = []
    const strict = await createTestApi({
      allows({ resource }) {
        seen.push([resource?.namespace, resource?.name])
        return false
      },
    })
    const { json } = await strict.send('/api/v1/namespaces/one')
    expect(json.message).toContain('cannot get resource "namespaces" in API group "" in the namespace "one"')
    await strict.send(`${MAPS}?fieldSelector=metadata.name%3Da`)
    await strict.send(`${MAPS}?fieldSelector=metadata.name!%3Da`)
    expect(seen).toEqual([
      ['one', 'one'],
      ['default', 'a'],
      ['default', ''],
    ])
    await strict.close()
  })
})

describe('content negotiation', () => {
  const get = (accept: string, query = '') => api.send(`${MAPS}/a${query}`, { headers: { accept } })

  it.each([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/vnd.kubernetes.protobuf, application/json', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/yaml;q=0.1, application/json', 'application/json'],
    ['application/*;q=0.9, application/yaml', 'application/yaml'],
  ])('Accept %s is answered in %s', async (accept, type) => {
    expect((await get(accept)).headers['content-type']).toBe(type)
  })

  it.each([
    'nonsense',
    'text/html',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
  ])('Accept %s is 406', async (accept) => {
    const { code, json } = await get(accept)
    expect([code, json.reason, json.message]).toEqual([
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json, application/yaml',
    ])
  })

  it('sends errors and reviews as YAML on request', async () => {
    const headers = { Accept: 'application/yaml' }
    const missing = await api.send(`${MAPS}/missing`, { headers })
    expect([missing.code, missing.headers['content-type']]).toEqual([404, 'application/yaml'])
    expect(missing.text).toMatch(/^message: configmaps "missing" not found$/m)
    const body = { spec: { token: 'x' } }
    const review = { method: 'POST', headers, body }
    expect((await api.send('/apis/authentication.k8s.io/v1/tokenreviews', review)).text).toMatch(
      /^kind: TokenReview$/m,
    )
  })

  it('rejects a watch as YAML', async () => {
    expect((await api.send(`${MAPS}?watch=1`, { headers: { accept: 'application/yaml' } })).code).toBe(406)
  })

  it('sends tables and metadata', async () => {
    const table = (await get('application/json;as=Table;v=v1;g=meta.k8s.io')).json
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [{ cells: ['a', 1, expect.anything()] }],
    })
    expect(table.rows[0].object.kind).toBe('PartialObjectMetadata')
    expect(
      (await get('application/json;as=Table;v=v1;g=meta.k8s.io', '?includeObject=None')).json.rows[0].object,
    ).toBeNull()
    expect((await get('application/json;as=Table;v=v1;g=meta.k8s.io', '?includeObject=x')).code).toBe(400)
    const partial = (await get('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io')).json
    expect([partial.kind, partial.data]).toEqual(['PartialObjectMetadata', undefined])
  })

  it('indents JSON on request and for curl', async () => {
    expect((await api.send(`${MAPS}/a`)).text).not.toContain('\n')
    expect((await api.send(`${MAPS}/a?pretty=true`)).text).toContain('\n  "kind": "ConfigMap"')
    expect((await api.send(`${MAPS}/a`, { headers: { 'User-Agent': 'curl/8' } })).text).toContain('\n')
    expect(
      (await api.send(`${MAPS}/a?pretty=0`, { headers: { 'User-Agent': 'curl/8' } })).text,
    ).not.toContain('\n')
    expect((await api.send(`${MAPS}/none?pretty=1`)).text).toContain('\n  "code": 404')
  })
})

describe('discovery', () => {
  const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

  it('answers 304 to a matching ETag', async () => {
    const first = await api.send('/apis', { headers: { accept: AGGREGATED } })
    expect(first.json.kind).toBe('APIGroupDiscoveryList')
    const etag = first.headers.etag!
    const cached = await api.send('/apis', { headers: { accept: AGGREGATED, 'If-None-Match': etag } })
    expect([cached.code, cached.text]).toEqual([304, ''])
    expect((await api.send('/apis', { headers: { accept: AGGREGATED, 'If-None-Match': '"x"' } })).code).toBe(
      200,
    )
  })

  it('lists the verbs of a resource', async () => {
    const { json } = await api.send('/api/v1')
    const pods = json.resources.find(({ name }: { name: string }) => name === 'pods')
    expect(pods.verbs).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ])
  })
})

describe('metrics', () => {
  it('counts requests with labels, but omits the names of unknown resources', async () => {
    await api.send('/api/v1/namespaces/default/made-up-by-a-client')
    await api.send(`${MAPS}?dryRun=All`, { method: 'POST', body: { metadata: { name: 'counted' } } })
    await api.send('/apis/apps/v1/deployments')
    await api.send('/apis/apps/v1/namespaces/default/deployments/none/scale')
    await api.send(`${MAPS}/counted?fieldManager=me`, {
      method: 'PATCH',
      body: { apiVersion: 'v1', kind: 'ConfigMap' },
      headers: { 'Content-Type': 'application/apply-patch+yaml' },
    })
    const watch = await api.open('/apis/apps/v1/namespaces/default/deployments?watch=1')
    watch.destroy()
    await vi.waitFor(async () => expect((await api.send('/metrics')).text).toContain('verb="WATCH"'))
    const { text } = await api.send('/metrics')
    const seriesOf = (code: number, labels: string): string =>
      `apiserver_request_total{code="${code}",component="apiserver",${labels}} `
    for (const [code, labels] of [
      [
        201,
        'dry_run="All",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"',
      ],
      [
        200,
        'dry_run="",group="apps",resource="deployments",scope="cluster",subresource="",verb="LIST",version="v1"',
      ],
      [
        200,
        'dry_run="",group="apps",resource="deployments",scope="namespace",subresource="",verb="WATCH",version="v1"',
      ],
      [
        404,
        'dry_run="",group="apps",resource="deployments",scope="resource",subresource="scale",verb="GET",version="v1"',
      ],
      [
        201,
        'dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="APPLY",version="v1"',
      ],
      [404, 'dry_run="",group="",resource="",scope="namespace",subresource="",verb="LIST",version=""'],
    ] as const)
      expect(text).toContain(seriesOf(code, labels))
    expect(text).not.toContain('made-up')
  })
})
