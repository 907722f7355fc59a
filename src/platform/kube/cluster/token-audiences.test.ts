/** Tests of token audiences over HTTP. */
import { request } from 'node:https'
import { json as readJson } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom, createRealClock } from '#kit'
import { createSimulatedRuntime } from '#platform/kube/runtimes/simulated'
import { createCluster } from './create-cluster.ts'

const API = 'https://kubernetes.default.svc.cluster.local'

const start = async () => {
  const clock = createRealClock()
  const random = createRandom('audiences')
  const cluster = createCluster({
    clock,
    random,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  onTestFinished(() => cluster.stop())
  const listening = await cluster.listen()
  onTestFinished(() => listening.close())
  const send = (path: string, bearer: string, body?: object): Promise<{ code: number; json: any }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, listening.url),
        {
          ca: listening.certificateAuthority,
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        },
        (reply) => readJson(reply).then((json) => resolve({ code: reply.statusCode!, json }), reject),
      )
      outgoing.once('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const issue = async (audiences?: string[]): Promise<string> => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    const spec = { ...(audiences === undefined ? {} : { audiences }), expirationSeconds: 600 }
    return (await send(path, listening.token, { spec })).json.status.token
  }
  const review = async (token: string, audiences: string[] = []) => {
    const spec = { token, audiences }
    return (await send('/apis/authentication.k8s.io/v1/tokenreviews', listening.token, { spec })).json.status
  }
  return { token: listening.token, send, issue, review }
}

it('a token is accepted only for its audiences, and reviews report why it is rejected', async () => {
  const { token: admin, send, issue, review } = await start()
  const [apiToken, vaultToken] = [await issue(), await issue(['vault', 'store'])]

  expect((await send('/api/v1/namespaces/default', vaultToken)).code).toBe(401)
  // Authenticated, but without a role.
  expect((await send('/api/v1/namespaces/default', apiToken)).code).toBe(403)

  const username = 'system:serviceaccount:default:default'
  expect(await review(apiToken)).toMatchObject({ authenticated: true, user: { username }, audiences: [API] })
  expect(await review(vaultToken, ['store', 'x'])).toMatchObject({
    authenticated: true,
    audiences: ['store'],
  })
  expect(await review(vaultToken)).toEqual({
    user: {},
    error: `[invalid bearer token, token audiences ["vault" "store"] is invalid for the target audiences ["${API}"]]`,
  })
  expect(await review('unknown')).toEqual({ user: {}, error: 'invalid bearer token' })
  expect(await review(admin)).toMatchObject({
    authenticated: true,
    user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    audiences: [API],
  })
  expect(await review(admin, ['vault'])).toEqual({ user: {}, error: 'invalid bearer token' })
})
