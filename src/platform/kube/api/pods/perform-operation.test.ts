/** Tests of binding, eviction and token requests over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

const PODS = '/api/v1/namespaces/default/pods'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

describe('operations', () => {
  const post = async (path: string, body: unknown) => {
    const { code, json } = await api.send(path, { method: 'POST', body })
    return { code, json, message: json.message }
  }
  beforeEach(() => post(PODS, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }))

  it('bind a pod once, and not in a dry run', async () => {
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

  it('issue tokens for existing accounts, with a valid lifetime', async () => {
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
})
