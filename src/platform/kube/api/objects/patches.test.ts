/** Tests of PATCH over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'
import {
  createWebDeployment,
  DEPLOYMENTS,
  MERGE,
  STRATEGIC,
  sendPatch,
} from '../testing/create-web-deployment.ts'

const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
  await createWebDeployment(api)
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

const patch = (type: string, body: unknown, path?: string) => sendPatch(api, type, body, path)
const containerPatch = (name: string, image: string) => ({
  spec: { template: { spec: { containers: [{ name, image }] } } },
})
const imagesOf = ({ json }: { json: any }): string[] =>
  json.spec.template.spec.containers.map(({ image }: { image: string }) => image)

describe('PATCH', () => {
  it('applies a JSON patch', async () => {
    const path = '/spec/template/spec/containers/0/image'
    expect(imagesOf(await patch(JSON_PATCH, [{ op: 'replace', path, value: 'two' }]))).toEqual(['two', 's'])
    expect(await patch(JSON_PATCH, [{ op: 'test', path, value: 'nine' }])).toMatchObject({
      code: 422,
      message: 'the server rejected our request due to an error in our request',
    })
  })

  it('replaces lists with a merge patch and merges them by name with a strategic merge patch', async () => {
    expect(imagesOf(await patch(STRATEGIC, containerPatch('c', 'two')))).toEqual(['two', 's'])
    expect(imagesOf(await patch(MERGE, containerPatch('c', 'three')))).toEqual(['three'])
  })

  it('reports conflicts of server-side apply, and resolves them with force', async () => {
    const config = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } }
    expect((await patch(APPLY, config)).message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )
    const conflict = await patch(APPLY, config, `${DEPLOYMENTS}/web?fieldManager=me`)
    expect([conflict.code, conflict.json.details.causes[0].field]).toEqual([409, '.spec.replicas'])
    const forced = await patch(APPLY, config, `${DEPLOYMENTS}/web?fieldManager=me&force=true`)
    expect([forced.code, forced.json.spec.replicas]).toEqual([200, 5])
  })

  it('rejects unknown fields and wrong types in server-side apply, with any field validation', async () => {
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

  it('reports duplicate keys in server-side apply', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: one\n  a: two\n'
    const sendApply = (validation: string) =>
      api.send(`/api/v1/namespaces/default/configmaps/twice?fieldManager=me&fieldValidation=${validation}`, {
        method: 'PATCH',
        body: text,
        headers: { 'Content-Type': APPLY },
      })
    expect((await sendApply('Strict')).json).toMatchObject({
      code: 400,
      message:
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
    })
    const { json, headers } = await sendApply('Warn')
    expect([json.data, headers.warning]).toEqual([
      { a: 'two' },
      '299 - "line 5: key \\"a\\" already set in map"',
    ])
    expect((await sendApply('Ignore')).headers.warning).toBeUndefined()
  })

  it('validates an applied list element that omits its key', async () => {
    const body = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      spec: {
        selector: { matchLabels: { app: 'new' } },
        template: {
          metadata: { labels: { app: 'new' } },
          spec: { containers: [{ image: 'i', ports: [{ name: 'http' }] }] },
        },
      },
    }
    expect(await patch(APPLY, body, `${DEPLOYMENTS}/new?fieldManager=me`)).toMatchObject({
      code: 422,
      message:
        'Deployment.apps "new" is invalid: [spec.template.spec.containers[0].name: Required value, spec.template.spec.containers[0].ports[0].containerPort: Required value]',
    })
  })

  it('creates objects by server-side apply, with the name and namespace of the path', async () => {
    const maps = '/api/v1/namespaces/default/configmaps/new?fieldManager=me'
    const created = await patch(APPLY, 'apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n', maps)
    expect([created.code, created.json.metadata.name, created.json.metadata.namespace]).toEqual([
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
  ])('rejects %s with the body %s', async (type, body, message) => {
    expect(await patch(type, body)).toMatchObject({ code: 400, message })
  })

  const UNMARSHAL_ERROR = 'json: cannot unmarshal string into Go struct field'
  it.each<[string, unknown, string]>([
    [MERGE, { spec: { replicas: 'x' } }, `${UNMARSHAL_ERROR} DeploymentSpec.spec.replicas of type int32`],
    [
      JSON_PATCH,
      [{ op: 'add', path: '/spec/template/spec', value: 'x' }],
      `${UNMARSHAL_ERROR} PodTemplateSpec.spec.template.spec of type v1.PodSpec`,
    ],
    [STRATEGIC, { spec: { replicas: 'x' } }, 'unrecognized type: int32'],
    [STRATEGIC, { spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    [STRATEGIC, { metadata: { labels: { a: 1 } } }, 'cannot convert int64 to string'],
    [STRATEGIC, { metadata: { labels: { a: true } } }, 'unrecognized type: string'],
    [STRATEGIC, { spec: { selector: 'x' } }, 'cannot restore struct from: string'],
    [STRATEGIC, { metadata: { finalizers: { a: 'b' } } }, 'cannot restore slice from map'],
  ])('answers 422 without a kind if a value has the wrong type: %s %j', async (type, body, detail) => {
    const answer = await patch(type, body)
    expect(answer).toMatchObject({ code: 422, json: { reason: 'Invalid' } })
    expect(answer.json.details).not.toHaveProperty('kind')
    expect(answer.message).toMatch(/^ "" is invalid: patch: Invalid value: "/)
    expect(answer.message.endsWith(`": ${detail}`)).toBe(true)
  })

  it('quotes the patch of a strategic merge, or otherwise the patched object', async () => {
    const spec = { replicas: 'x' }
    expect((await patch(STRATEGIC, { spec })).message).toContain('"map[spec:map[replicas:x]]"')
    expect((await patch(MERGE, { spec })).message).toContain('{\\"replicas\\":\\"x\\"')
    const strict = `${DEPLOYMENTS}/web?fieldValidation=Strict`
    expect(await patch(STRATEGIC, { spec: { foo: 1 } }, strict)).toMatchObject({
      code: 422,
      message:
        ' "" is invalid: patch: Invalid value: "map[spec:map[foo:1]]": strict decoding error: unknown field "spec.foo"',
    })
    const scale = await patch(MERGE, { spec }, `${DEPLOYMENTS}/web/scale`)
    expect(scale).toMatchObject({ code: 422, json: { reason: 'Invalid' } })
  })

  it('rejects other content types, missing objects and stale versions', async () => {
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

  it.each([
    [{ uid: 'other' }, 'uid: Invalid value: "other": field is immutable'],
    [
      { creationTimestamp: '2000-01-01T00:00:00Z' },
      'creationTimestamp: Invalid value: 2000-01-01 00:00:00 +0000 UTC: field is immutable',
    ],
  ])('rejects a patched identity: %j', async (metadata, message) => {
    for (const path of [`${DEPLOYMENTS}/web`, `${DEPLOYMENTS}/web/status`])
      expect(await patch(MERGE, { metadata }, path)).toMatchObject({
        code: 422,
        message: `Deployment.apps "web" is invalid: metadata.${message}`,
      })
  })

  it('keeps the version if nothing changes, and stores nothing in a dry run', async () => {
    expect((await patch(MERGE, { spec: { replicas: 2 } })).json.metadata.resourceVersion).toBe('1')
    const dryRun = await patch(MERGE, { spec: { replicas: 9 } }, `${DEPLOYMENTS}/web?dryRun=All`)
    expect([dryRun.json.spec.replicas, api.resources.store.version]).toEqual([9, 1])
  })

  it('changes only the status through the status subresource', async () => {
    const { json } = await patch(
      MERGE,
      { spec: { replicas: 9 }, status: { replicas: 1 } },
      `${DEPLOYMENTS}/web/status`,
    )
    expect([json.spec.replicas, json.status.replicas]).toEqual([2, 1])
  })

  it('applies a status without the fields that its endpoint ignores', async () => {
    const condition = { type: 'Checked', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }
    const config = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 9 },
      status: { conditions: [condition] },
    }
    const before = await api.send(`${DEPLOYMENTS}/web`)
    const { code, json } = await patch(APPLY, config, `${DEPLOYMENTS}/web/status?fieldManager=me`)
    expect(code).toBe(200)
    expect(json.spec).toEqual(before.json.spec)
    expect(json.metadata.labels).toEqual(before.json.metadata.labels)
    expect(json.status.conditions).toEqual([condition])
    const [statusEntry, ...otherEntries] = json.metadata.managedFields
    expect(statusEntry).toMatchObject({ manager: 'me', operation: 'Apply', subresource: 'status' })
    expect(Object.keys(statusEntry.fieldsV1)).toEqual(['f:status'])
    expect(otherEntries).toEqual(before.json.metadata.managedFields)
  })

  it('applies large patches in linear time', async () => {
    const env = (value: string) => Array.from({ length: 5000 }, (_, index) => ({ name: `E${index}`, value }))
    const body = (value: string) => ({
      spec: { template: { spec: { containers: [{ name: 'c', image: 'one', env: env(value) }] } } },
    })
    for (const value of ['a', 'b']) expect((await patch(STRATEGIC, body(value))).code).toBe(200)
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', ...body('c') }
    expect((await patch(APPLY, applied, `${DEPLOYMENTS}/web?fieldManager=me&force=true`)).code).toBe(200)
    const unknownFields = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`s${index}`, 1]))
    expect((await patch(MERGE, unknownFields)).code).toBe(200)
  }, 20_000)

  it('cannot pollute prototypes', async () => {
    await patch(MERGE, '{"metadata":{"annotations":{"__proto__":{"polluted":"yes"}}}}')
    await patch(JSON_PATCH, [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }])
    await patch(STRATEGIC, '{"__proto__":{"polluted":"yes"},"metadata":{"__proto__":{"polluted":"yes"}}}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
