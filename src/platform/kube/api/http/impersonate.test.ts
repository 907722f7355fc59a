/** Tests of user impersonation. */
import { afterEach, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../testing/create-test-api.ts'

let api: TestApi
afterEach(() => api.close())

const whoAmI = async (headers: Record<string, string | string[]>) => {
  const { code, json } = await api.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    headers: headers as Record<string, string>,
  })
  return { code, message: json.message, user: json.status?.userInfo }
}

describe('impersonation', () => {
  it('uses the user, groups and extra fields of the headers', async () => {
    api = await createTestApi()
    expect(
      (
        await whoAmI({
          'impersonate-user': 'jane',
          'impersonate-group': ['a', 'b'],
          'impersonate-extra-x%2fy': 'z',
        })
      ).user,
    ).toEqual({ username: 'jane', groups: ['a', 'b', 'system:authenticated'], extra: { 'x/y': ['z'] } })
  })

  it('adds the implicit groups of service accounts', async () => {
    api = await createTestApi()
    expect((await whoAmI({ 'impersonate-user': 'system:serviceaccount:n:a' })).user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:n',
      'system:authenticated',
    ])
  })

  it('requires permission for the user and for each group', async () => {
    api = await createTestApi({
      allows: ({ verb, resource }) => verb !== 'impersonate' || resource?.plural === 'users',
    })
    expect((await whoAmI({ 'impersonate-user': 'jane' })).code).toBe(201)
    expect(await whoAmI({ 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' })).toMatchObject(
      {
        code: 403,
        message:
          'groups "system:masters" is forbidden: User "admin" cannot impersonate resource "groups" in API group "" at the cluster scope',
      },
    )
    expect(await whoAmI({ 'impersonate-user': 'system:serviceaccount:n:a' })).toMatchObject({
      code: 403,
      message:
        'serviceaccounts "a" is forbidden: User "admin" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"',
    })
  })

  it('rejects groups without a user', async () => {
    api = await createTestApi()
    expect((await whoAmI({ 'impersonate-group': 'a' })).code).toBe(500)
  })

  it('records both users in the audit log', async () => {
    api = await createTestApi()
    await api.send('/api/v1/namespaces', {
      method: 'POST',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
      headers: { 'impersonate-user': 'jane' },
    })
    expect(api.audit.events()).toMatchObject([
      { user: { username: 'admin' }, impersonatedUser: { username: 'jane' } },
    ])
  })
})
