/** Tests of the audit log over HTTP. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'
import { createWebDeployment, DEPLOYMENTS, MERGE, sendPatch } from '../testing/create-web-deployment.ts'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
  await createWebDeployment(api)
})
afterEach(async () => {
  expect(api.unexpected).toEqual([])
  await api.close()
})

describe('the audit log', () => {
  it('records writes, including rejected ones', async () => {
    await sendPatch(api, MERGE, { spec: { replicas: 3 } })
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

  it('omits the content of Secrets', async () => {
    const body = { metadata: { name: 's' }, stringData: { password: 'hunter2' } }
    await api.send('/api/v1/namespaces/default/secrets', { method: 'POST', body })
    expect(JSON.stringify(api.audit.events())).not.toContain('hunter2')
  })
})
