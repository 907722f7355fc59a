/** Tests of the token controller. */
import { describe, expect, it } from 'vitest'
import { secrets, serviceAccounts } from '#platform/kube/kinds'
import { createTestCluster } from '../testing/create-test-cluster.ts'
import { createServiceAccountToken } from './service-account-token.ts'

const tokens = {
  issueLegacy: ({ namespace, name, secretName }: { namespace: string; name: string; secretName: string }) =>
    `token of ${namespace}/${name} in ${secretName}`,
}

const tokenSecret = (account: string) => ({
  metadata: {
    name: 'token',
    namespace: 'shop',
    annotations: { 'kubernetes.io/service-account.name': account },
  },
  type: 'kubernetes.io/service-account-token',
})

const setUp = () => createTestCluster([createServiceAccountToken({ rootCertificate: 'PEM', tokens })])

const decode = (data: Record<string, string> | undefined) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )

describe('a token Secret', () => {
  it('is filled, annotated with its account, and deleted with it', () => {
    const { client, clock, errors } = setUp()
    const account = client.create(serviceAccounts, { metadata: { name: 'agent', namespace: 'shop' } })
    client.create(secrets, tokenSecret('agent'))
    clock.advance(10)
    const filled = client.get(secrets, 'shop', 'token')
    expect(decode(filled?.data)).toEqual({
      'ca.crt': 'PEM',
      namespace: 'shop',
      token: 'token of shop/agent in token',
    })
    expect(filled?.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.metadata.uid)
    client.delete(serviceAccounts, 'shop', 'agent')
    clock.advance(10)
    expect(client.get(secrets, 'shop', 'token')).toBeUndefined()
    expect(errors).toEqual([])
  })

  it('of a missing account is deleted', () => {
    const { client, clock } = setUp()
    client.create(secrets, tokenSecret('missing'))
    client.create(secrets, { metadata: { name: 'other', namespace: 'shop' }, data: { a: 'Yg==' } })
    clock.advance(10)
    expect(client.list(secrets).map(({ metadata }) => metadata.name)).toEqual(['other'])
  })
})
