/** Tests the answers to HTTP requests without sockets. */
import { expect, it } from 'vitest'
import { ADMIN, createTestService } from '../testing/create-test-api.ts'
import { createInProcessHttp } from './create-in-process-http.ts'

const setUp = () => {
  const { service } = createTestService({ allows: ({ user }) => user.username === ADMIN.username })
  const answer = createInProcessHttp({
    service,
    authenticator: {
      authenticate: ({ bearerToken }) =>
        bearerToken === undefined
          ? { username: 'nobody', groups: [] }
          : bearerToken === 'a'
            ? ADMIN
            : undefined,
    },
    onUnexpected: (error) => expect.unreachable(String(error)),
  })
  return async (line: string, body?: object, headers: Record<string, string> = {}) => {
    const [method = '', target = ''] = line.split(' ')
    const response = await answer({
      method,
      target,
      headers: { authorization: 'Bearer a', ...headers },
      isEncrypted: true,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: JSON.parse(response.body) as Record<string, any> }
  }
}

const MAPS = '/api/v1/namespaces/default/configmaps'

it('creates, reads, lists, patches and deletes objects', async () => {
  const send = setUp()
  expect(await send(`POST ${MAPS}`, { metadata: { name: 'a', labels: { x: '1' } } })).toMatchObject({
    status: 201,
    body: { kind: 'ConfigMap', metadata: { name: 'a' } },
  })
  const patch = { 'content-type': 'application/merge-patch+json' }
  expect(await send(`PATCH ${MAPS}/a`, { data: { b: 'c' } }, patch)).toMatchObject({ status: 200 })
  expect((await send(`GET ${MAPS}/a`)).body.data).toEqual({ b: 'c' })
  expect((await send(`GET ${MAPS}?labelSelector=x%3D1`)).body).toMatchObject({
    kind: 'ConfigMapList',
    items: [{ metadata: { name: 'a' } }],
  })
  expect((await send(`GET ${MAPS}?labelSelector=x%3D2`)).body.items).toEqual([])
  expect(await send(`DELETE ${MAPS}/a`)).toMatchObject({ status: 200, body: { status: 'Success' } })
})

it.each([
  ['without rights', `GET ${MAPS}`, { authorization: '' }, 403, 'Forbidden'],
  ['with a wrong token', `GET ${MAPS}`, { authorization: 'Bearer b' }, 401, 'Unauthorized'],
  ['for a missing object', `GET ${MAPS}/a`, {}, 404, 'NotFound'],
  ['for a missing resource', 'GET /api/v1/nothings', {}, 404, 'NotFound'],
  ['for a document', 'GET /version', {}, 404, 'NotFound'],
  ['for a watch', `GET ${MAPS}?watch=1`, {}, 405, 'MethodNotAllowed'],
  ['for a stream', 'POST /api/v1/namespaces/default/pods/a/exec', {}, 405, 'MethodNotAllowed'],
])('rejects a request %s', async (_, line, headers, code, reason) => {
  expect(await setUp()(line, undefined, headers)).toMatchObject({
    status: code,
    body: { kind: 'Status', code, reason },
  })
})

it('rejects a request without TLS', async () => {
  const { service } = createTestService()
  const answer = createInProcessHttp({
    service,
    authenticator: { authenticate: () => ADMIN },
    onUnexpected: () => {},
  })
  expect(await answer({ method: 'GET', target: MAPS, headers: {} })).toMatchObject({
    status: 400,
    body: 'Client sent an HTTP request to an HTTPS server.\n',
  })
})
