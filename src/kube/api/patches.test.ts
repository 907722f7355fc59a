/** Tests of PATCH over HTTP, of `scale` and of the operations on pods and accounts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from './testing/create-test-api.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const PODS = '/api/v1/namespaces/default/pods'
const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
  const labels = { app: 'web' }
  const spec = {
    containers: [
      { name: 'c', image: 'one' },
      { name: 'side', image: 's' },
    ],
  }
  await api.send(DEPLOYMENTS, {
    method: 'POST',
    body: {
      metadata: { name: 'web', labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  })
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const patch = async (type: string, body: unknown, path = `${DEPLOYMENTS}/web`) => {
  const { code, json } = await api.send(path, { method: 'PATCH', body, headers: { 'Content-Type': type } })
  return { code, message: json.message, json }
}
const container = (name: string, image: string) => ({
  spec: { template: { spec: { containers: [{ name, image }] } } },
})
const images = ({ json }: { json: any }): string[] =>
  json.spec.template.spec.containers.map(({ image }: { image: string }) => image)

describe('the four kinds of patch', () => {
  it('JSON patch changes what its paths name', async () => {
    const path = '/spec/template/spec/containers/0/image'
    expect(images(await patch(JSON_PATCH, [{ op: 'replace', path, value: 'two' }]))).toEqual(['two', 's'])
    expect(await patch(JSON_PATCH, [{ op: 'test', path, value: 'nine' }])).toMatchObject({
      code: 422,
      message: 'the server rejected our request due to an error in our request',
    })
  })

  it('merge patch replaces lists, strategic merge joins them by name', async () => {
    expect(images(await patch(STRATEGIC, container('c', 'two')))).toEqual(['two', 's'])
    expect(images(await patch(MERGE, container('c', 'three')))).toEqual(['three'])
  })

  it('apply owns what it says, and conflicts are told', async () => {
    const config = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } }
    expect((await patch(APPLY, config)).message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )
    const conflict = await patch(APPLY, config, `${DEPLOYMENTS}/web?fieldManager=me`)
    expect([conflict.code, conflict.json.details.causes[0].field]).toEqual([409, '.spec.replicas'])
    const forced = await patch(APPLY, config, `${DEPLOYMENTS}/web?fieldManager=me&force=true`)
    expect([forced.code, forced.json.spec.replicas]).toEqual([200, 5])
  })

  it('apply knows no fields and no types but those of the schema, however strict the client is', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', spec: { foo: 1 } }
    const path = '/api/v1/namespaces/default/services/ssb?fieldManager=me'
    for (const validation of ['Strict', 'Warn', 'Ignore'])
      expect((await patch(APPLY, service, `${path}&fieldValidation=${validation}`)).json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'failed to create typed patch object (default/ssb; /v1, Kind=Service): .spec.foo: field not declared in schema',
        code: 500,
      })
    const env = [{ name: 'A', value: 1 }]
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: { template: { spec: { containers: [{ name: 'c', env }] } } },
    }
    expect((await patch(APPLY, deployment, `${DEPLOYMENTS}/web?fieldManager=me`)).message).toBe(
      'failed to create typed patch object (default/web; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="c"].env[name="A"].value: expected string, got &value.valueUnstructured{Value:1}',
    )
  })

  it('apply says which keys are given twice', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: one\n  a: two\n'
    const send = (validation: string) =>
      api.send(`/api/v1/namespaces/default/configmaps/twice?fieldManager=me&fieldValidation=${validation}`, {
        method: 'PATCH',
        body: text,
        headers: { 'Content-Type': APPLY },
      })
    expect((await send('Strict')).json).toMatchObject({
      code: 400,
      message:
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
    })
    const { json, headers } = await send('Warn')
    expect([json.data, headers.warning]).toEqual([
      { a: 'two' },
      '299 - "line 5: key \\"a\\" already set in map"',
    ])
    expect((await send('Ignore')).headers.warning).toBeUndefined()
  })

  it('apply creates, in the namespace and under the name of the path', async () => {
    const maps = '/api/v1/namespaces/default/configmaps/new?fieldManager=me'
    const made = await patch(APPLY, 'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n', maps)
    expect([made.code, made.json.metadata.name, made.json.metadata.namespace]).toEqual([
      201,
      'new',
      'default',
    ])
    expect((await patch(APPLY, 'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n', maps)).code).toBe(200)
  })

  it.each([
    [JSON_PATCH, '{', 'error decoding patch: unexpected end of JSON input'],
    [MERGE, '{', 'error decoding patch: unexpected end of JSON input'],
    [STRATEGIC, '{', 'unexpected end of JSON input'],
    [
      MERGE,
      '[]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      MERGE,
      '{"metadata":{"name":"x"}}',
      'the name of the object (x) does not match the name on the URL (web)',
    ],
    [
      MERGE,
      '{"spec":{"replicas":"x"}}',
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
  ])('%s of %s is refused', async (type, body, message) => {
    expect(await patch(type, body)).toMatchObject({ code: 400, message })
  })

  it('other types, missing objects and stale versions are refused', async () => {
    expect(await patch('application/json', {})).toMatchObject({
      code: 415,
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
    })
    expect(await patch(MERGE, {}, `${DEPLOYMENTS}/none`)).toMatchObject({ code: 404 })
    expect(await patch(MERGE, { metadata: { resourceVersion: '77' } })).toMatchObject({
      code: 409,
      message: expect.stringContaining('the object has been modified'),
    })
    expect((await patch(MERGE, {}, `${DEPLOYMENTS}/web?force=true`)).message).toContain(
      'force: Forbidden: may not be specified for non-apply patch',
    )
  })

  it('without effect keep the version, and tried ones leave no trace', async () => {
    expect((await patch(MERGE, { spec: { replicas: 2 } })).json.metadata.resourceVersion).toBe('1')
    const tried = await patch(MERGE, { spec: { replicas: 9 } }, `${DEPLOYMENTS}/web?dryRun=All`)
    expect([tried.json.spec.replicas, api.resources.store.version]).toEqual([9, 1])
  })

  it('of the status leave the rest alone', async () => {
    const { json } = await patch(
      MERGE,
      { spec: { replicas: 9 }, status: { replicas: 1 } },
      `${DEPLOYMENTS}/web/status`,
    )
    expect([json.spec.replicas, json.status.replicas]).toEqual([2, 1])
  })

  it('take no longer than their size, however they are made', async () => {
    const env = (value: string) => Array.from({ length: 5000 }, (_, index) => ({ name: `E${index}`, value }))
    const body = (value: string) => ({
      spec: { template: { spec: { containers: [{ name: 'c', image: 'one', env: env(value) }] } } },
    })
    for (const value of ['a', 'b']) expect((await patch(STRATEGIC, body(value))).code).toBe(200)
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', ...body('c') }
    expect((await patch(APPLY, applied, `${DEPLOYMENTS}/web?fieldManager=me&force=true`)).code).toBe(200)
    const strange = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`s${index}`, 1]))
    expect((await patch(MERGE, strange)).code).toBe(200)
  }, 20_000)

  it('cannot reach what all objects share', async () => {
    await patch(MERGE, '{"metadata":{"annotations":{"__proto__":{"polluted":"yes"}}}}')
    await patch(JSON_PATCH, [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }])
    await patch(STRATEGIC, '{"__proto__":{"polluted":"yes"},"metadata":{"__proto__":{"polluted":"yes"}}}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('scale', () => {
  const SCALE = `${DEPLOYMENTS}/web/scale`

  it('is one small object', async () => {
    expect((await api.send(SCALE)).json).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'default', resourceVersion: '1' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    })
  })

  it('is put and patched, and changes the object', async () => {
    const scale = (await api.send(SCALE)).json
    const put = await api.send(SCALE, { method: 'PUT', body: { ...scale, spec: { replicas: 3 } } })
    expect(put.json.spec.replicas).toBe(3)
    expect((await api.send(SCALE, { method: 'PUT', body: scale })).code).toBe(409)
    for (const [type, replicas] of [
      [MERGE, 4],
      [STRATEGIC, 5],
    ] as const)
      expect((await patch(type, { spec: { replicas } }, SCALE)).json.spec.replicas).toBe(replicas)
    const { json } = await api.send(`${DEPLOYMENTS}/web`)
    expect([json.spec.replicas, json.metadata.generation]).toEqual([5, 4])
  })

  it('refuses numbers that are none', async () => {
    expect((await patch(MERGE, { spec: { replicas: -1 } }, SCALE)).message).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
    expect(await patch(MERGE, { spec: { replicas: 'x' } }, SCALE)).toMatchObject({ code: 400 })
  })
})

describe('operations', () => {
  const post = async (path: string, body: unknown) => {
    const { code, json } = await api.send(path, { method: 'POST', body })
    return { code, json, message: json.message }
  }
  beforeEach(() => post(PODS, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }))

  it('bind a pod, once, and not when only trying', async () => {
    const body = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'node1' } }
    expect((await post(`${PODS}/p/binding?dryRun=All`, body)).code).toBe(201)
    expect((await api.send(`${PODS}/p`)).json.spec.nodeName).toBeUndefined()
    expect((await post(`${PODS}/p/binding`, body)).json).toMatchObject({ status: 'Success', code: 201 })
    expect((await post(`${PODS}/p/binding`, body)).message).toContain(
      'pod p is already assigned to node "node1"',
    )
    expect((await post(`${PODS}/p/binding`, { target: {} })).message).toContain('target.name: Required value')
  })

  it.each(['policy/v1', 'policy/v1beta1'])('evict a pod as %s', async (apiVersion) => {
    const eviction = { apiVersion, kind: 'Eviction', metadata: { name: 'p', namespace: 'default' } }
    expect((await post(`${PODS}/p/eviction`, { ...eviction, metadata: { name: 'q' } })).message).toBe(
      'name in URL does not match name in Eviction object',
    )
    expect((await post(`${PODS}/p/eviction`, { ...eviction, deleteOptions: { dryRun: ['All'] } })).code).toBe(
      201,
    )
    expect((await post(`${PODS}/p/eviction`, eviction)).json).toMatchObject({ status: 'Success' })
    expect((await api.send(`${PODS}/p`)).code).toBe(404)
  })

  it('give tokens to accounts that exist, for a sensible time', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token'
    const { code, json } = await post(path, { spec: { audiences: ['x'], expirationSeconds: 600 } })
    expect([code, json.status.token, json.spec.audiences]).toEqual([201, 'default:robot:x', ['x']])
    expect((await post(path, { spec: { expirationSeconds: 1 } })).message).toContain(
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    )
    expect((await post(path.replace('robot', 'none'), {})).code).toBe(404)
    expect(JSON.stringify(api.audit.events())).not.toContain('"audiences":["x"]')
  })

  it('answer reviews, and refuse those that ask nothing', async () => {
    const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
    expect((await post(review, { spec })).json.status).toEqual({ allowed: true })
    expect((await post(review, { spec: { resourceAttributes: 'x' } })).code).toBe(400)
    expect((await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 5 } })).code).toBe(400)
    expect(
      (await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})).json.status.userInfo.username,
    ).toBe('admin')
  })
})

describe('questions about permission', () => {
  const ROOT = '/apis/authorization.k8s.io/v1'
  const LOCAL = `${ROOT}/namespaces/default/localsubjectaccessreviews`
  const nothing =
    'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified'
  const nobody = 'spec.user: Invalid value: "": at least one of user or group must be specified'
  const ask = (path: string, body: object) => api.send(path, { method: 'POST', body })

  it.each([
    [`${ROOT}/selfsubjectaccessreviews`, {}, nothing],
    [`${ROOT}/subjectaccessreviews`, {}, `[${nothing}, ${nobody}]`],
    [`${ROOT}/subjectaccessreviews`, { nonResourceAttributes: { path: '/', verb: 'get' } }, nobody],
    [
      `${ROOT}/subjectaccessreviews`,
      { user: 'u', resourceAttributes: {}, nonResourceAttributes: { path: '/' } },
      'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/", Verb:""}: cannot be specified in combination with resourceAttributes',
    ],
    [
      LOCAL,
      { user: 'u', resourceAttributes: { namespace: 'other' } },
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    ],
    [
      LOCAL,
      { user: 'u', nonResourceAttributes: {} },
      'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"", Verb:""}: disallowed on this kind of request',
    ],
  ])('%s with %j is refused', async (path, spec, why) => {
    const { code, json } = await ask(path, { spec })
    expect([code, json.reason, json.message]).toEqual([
      422,
      'Invalid',
      `.authorization.k8s.io "" is invalid: ${why}`,
    ])
    expect(json.details.causes[0]).toMatchObject({
      reason: 'FieldValueInvalid',
      field: /^\S+(?=:)/.exec(why.replace('[', ''))![0],
    })
    expect(json.details.kind).toBeUndefined()
  })

  it('have no name', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
    const { json } = await ask(`${ROOT}/selfsubjectaccessreviews`, { metadata: { name: 'x' }, spec })
    expect(json.message).toMatch(
      /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: v1\.ObjectMeta\{Name:"x", .*\}: must be empty$/,
    )
  })

  it('a token review needs a token', async () => {
    const { code, json } = await ask('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} })
    expect([code, json.message]).toEqual([400, 'token is required for TokenReview in authentication'])
  })
})

describe('the audit record', () => {
  it('tells who changed what, and who was not let', async () => {
    await patch(MERGE, { spec: { replicas: 3 } })
    await api.send(`${DEPLOYMENTS}/web`)
    await api.send(`${DEPLOYMENTS}/web`, { method: 'DELETE', headers: { Authorization: '' } })
    await api.send(DEPLOYMENTS, { method: 'POST', body: '{' })
    const events = api.audit.events().slice(-3)
    expect(
      events.map(({ verb, user, responseStatus }) => [verb, user.username, responseStatus.code]),
    ).toEqual([
      ['patch', 'admin', 200],
      ['delete', 'system:anonymous', 403],
      ['create', 'admin', 400],
    ])
    expect(events[0]).toMatchObject({
      requestURI: `${DEPLOYMENTS}/web`,
      userAgent: 'test/1.0',
      objectRef: {
        resource: 'deployments',
        namespace: 'default',
        name: 'web',
        apiGroup: 'apps',
        apiVersion: 'v1',
      },
      requestObject: { spec: { replicas: 3 } },
    })
  })

  it('keeps the content of secrets to itself', async () => {
    const body = { metadata: { name: 's' }, stringData: { password: 'hunter2' } }
    await api.send('/api/v1/namespaces/default/secrets', { method: 'POST', body })
    expect(JSON.stringify(api.audit.events())).not.toContain('hunter2')
  })
})
