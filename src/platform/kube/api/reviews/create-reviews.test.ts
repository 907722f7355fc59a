/** Tests of access and token reviews over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

describe('reviews', () => {
  const ROOT = '/apis/authorization.k8s.io/v1'
  const LOCAL = `${ROOT}/namespaces/default/localsubjectaccessreviews`
  const noAttributes =
    'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified'
  const userRequired = 'spec.user: Invalid value: "": at least one of user or group must be specified'
  const post = (path: string, body: object) => api.send(path, { method: 'POST', body })

  it.each([
    [`${ROOT}/selfsubjectaccessreviews`, {}, noAttributes],
    [`${ROOT}/subjectaccessreviews`, {}, `[${noAttributes}, ${userRequired}]`],
    [`${ROOT}/subjectaccessreviews`, { nonResourceAttributes: { path: '/', verb: 'get' } }, userRequired],
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
  ])('at %s reject %j', async (path, spec, message) => {
    const { code, json } = await post(path, { spec })
    expect([code, json.reason, json.message]).toEqual([
      422,
      'Invalid',
      `.authorization.k8s.io "" is invalid: ${message}`,
    ])
    expect(json.details.causes[0]).toMatchObject({
      reason: 'FieldValueInvalid',
      field: /^\S+(?=:)/.exec(message.replace('[', ''))![0],
    })
    expect(json.details.kind).toBeUndefined()
  })

  it('return a status, or 400 if they are malformed', async () => {
    const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
    expect((await post(review, { spec })).json.status).toEqual({ allowed: true })
    expect((await post(review, { spec: { resourceAttributes: 'x' } })).code).toBe(400)
    expect((await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 5 } })).code).toBe(400)
    expect(
      (await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})).json.status.userInfo.username,
    ).toBe('admin')
  })

  it('reject a name', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } }
    const { json } = await post(`${ROOT}/selfsubjectaccessreviews`, { metadata: { name: 'x' }, spec })
    expect(json.message).toMatch(
      /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: v1\.ObjectMeta\{Name:"x", .*\}: must be empty$/,
    )
  })

  it('of tokens require a token', async () => {
    const { code, json } = await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} })
    expect([code, json.message]).toEqual([400, 'token is required for TokenReview in authentication'])
  })
})
