/** Tests of the scale subresource over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'
import {
  createWebDeployment,
  DEPLOYMENTS,
  MERGE,
  STRATEGIC,
  sendPatch,
} from '../testing/create-web-deployment.ts'

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

describe('the scale subresource', () => {
  const SCALE = `${DEPLOYMENTS}/web/scale`

  it('is read as a Scale', async () => {
    expect((await api.send(SCALE)).json).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'default', resourceVersion: '1' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    })
  })

  it('changes the object with PUT and PATCH', async () => {
    const scale = (await api.send(SCALE)).json
    const updated = await api.send(SCALE, { method: 'PUT', body: { ...scale, spec: { replicas: 3 } } })
    expect(updated.json.spec.replicas).toBe(3)
    expect((await api.send(SCALE, { method: 'PUT', body: scale })).code).toBe(409)
    for (const [type, replicas] of [
      [MERGE, 4],
      [STRATEGIC, 5],
    ] as const)
      expect((await patch(type, { spec: { replicas } }, SCALE)).json.spec.replicas).toBe(replicas)
    const { json } = await api.send(`${DEPLOYMENTS}/web`)
    expect([json.spec.replicas, json.metadata.generation]).toEqual([5, 4])
  })

  it('rejects invalid replicas', async () => {
    expect((await patch(MERGE, { spec: { replicas: -1 } }, SCALE)).message).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )
    expect(await patch(MERGE, { spec: { replicas: 'x' } }, SCALE)).toMatchObject({ code: 422 })
  })
})
