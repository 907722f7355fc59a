/** Tests of service account tokens and of authentication. */
import { describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { nodes, pods, secrets, serviceAccounts } from '#platform/kube/kinds'
import { API_AUDIENCE, type User } from '#platform/kube/ports'
import { createResources } from '#platform/kube/resources'
import { createAuthenticator } from '../authenticator.ts'
import { createTokenIssuer } from './token-issuer.ts'

const setUp = () => {
  const clock = createVirtualClock()
  const random = createRandom('tokens')
  const { client } = createResources({ clock, random })
  const account = client.create(serviceAccounts, { metadata: { name: 'agent', namespace: 'shop' } })
  const tokens = createTokenIssuer({ client, clock, random })
  const request = {
    namespace: 'shop',
    name: 'agent',
    uid: account.metadata.uid,
    audiences: [API_AUDIENCE],
    expirationSeconds: 3600,
  }
  return { clock, client, account, tokens, request }
}

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>

describe('a token', () => {
  it('authenticates as the service account', () => {
    const { tokens, request, account } = setUp()
    const { token } = tokens.issue(request)
    const { jti } = claimsOf(token)
    expect(tokens.review(token, [])).toEqual({
      audiences: [API_AUDIENCE],
      user: {
        username: 'system:serviceaccount:shop:agent',
        uid: account.metadata.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
      },
    })
  })

  it('has the claims of a real token', () => {
    const { client, tokens, request, account, clock } = setUp()
    const node = client.create(nodes, { metadata: { name: 'node1' } })
    const pod = client.create(pods, {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { nodeName: 'node1', containers: [{ name: 'c', image: 'i' }] },
    })
    const boundTo = { kind: 'Pod', apiVersion: 'v1', name: 'web', uid: pod.metadata.uid }
    const now = clock.now() / 1000
    const { token, expiresAt } = tokens.issue({ ...request, expirationSeconds: 3607, boundTo })
    expect(expiresAt).toBe((now + 3607) * 1000)
    expect(claimsOf(token)).toEqual({
      aud: [API_AUDIENCE],
      exp: now + 365 * 24 * 3600,
      iat: now,
      iss: API_AUDIENCE,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {
        namespace: 'shop',
        node: { name: 'node1', uid: node.metadata.uid },
        pod: { name: 'web', uid: pod.metadata.uid },
        serviceaccount: { name: 'agent', uid: account.metadata.uid },
        warnafter: now + 3607,
      },
      nbf: now,
      sub: 'system:serviceaccount:shop:agent',
    })
    expect(tokens.review(token, [])?.user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['web'],
      'authentication.kubernetes.io/node-name': ['node1'],
    })
    client.delete(pods, 'shop', 'web', { gracePeriodSeconds: 0 })
    expect(tokens.review(token, [])).toBeUndefined()
  })

  it('is invalid after its expiry, for another audience, and without its account', () => {
    const { client, clock, tokens, request } = setUp()
    const { token } = tokens.issue(request)
    expect(tokens.review(token, ['elsewhere'])).toBeUndefined()
    clock.advance(3_599_000)
    expect(tokens.review(token, [])).toBeDefined()
    clock.advance(1000)
    expect(tokens.review(token, [])).toBeUndefined()
    const next = tokens.issue(request).token
    client.delete(serviceAccounts, 'shop', 'agent')
    expect(tokens.review(next, [])).toBeUndefined()
    client.create(serviceAccounts, { metadata: { name: 'agent', namespace: 'shop' } })
    expect(tokens.review(next, [])).toBeUndefined()
  })

  it('is invalid if it is modified or signed by another cluster', () => {
    const { tokens, request } = setUp()
    const { token } = tokens.issue(request)
    const [header, , signature] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ ...claimsOf(token), sub: 'x' })).toString('base64url')
    expect(tokens.review(`${header}.${forged}.${signature}`, [])).toBeUndefined()
    expect(tokens.review(setUp().tokens.issue(request).token, [])).toBeUndefined()
    expect(tokens.review('nonsense', [])).toBeUndefined()
  })

  it('of a Secret is valid as long as the Secret exists', () => {
    const { client, tokens, account } = setUp()
    const { uid } = account.metadata
    const token = tokens.issueLegacy({ namespace: 'shop', name: 'agent', uid, secretName: 'agent-token' })
    const metadata = { name: 'agent-token', namespace: 'shop' }
    client.create(secrets, { metadata, data: { token: Buffer.from(token).toString('base64') } })
    expect(tokens.review(token, [])?.user).toEqual({
      username: 'system:serviceaccount:shop:agent',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    })
    client.delete(secrets, 'shop', 'agent-token')
    expect(tokens.review(token, [])).toBeUndefined()
    client.create(secrets, { metadata })
    expect(tokens.review(token, [])).toBeUndefined()
  })
})

describe('a token with a shared key', () => {
  it('is the same for the same seed, and valid only with the key', () => {
    const issue = (sharedKey: string) => {
      const { client, clock, request } = setUp()
      const tokens = createTokenIssuer({ client, clock, random: createRandom('same'), sharedKey })
      return { tokens, token: tokens.issue({ ...request, uid: '' }).token }
    }
    const [first, second, other] = [issue('a'), issue('a'), issue('b')]
    expect(second.token).toBe(first.token)
    expect(first.tokens.review(second.token, [])?.user.username).toBe('system:serviceaccount:shop:agent')
    expect(first.tokens.review(other.token, [])).toBeUndefined()
    expect(first.tokens.publicKeys()).toEqual([])
  })
})

describe('authentication', () => {
  const admin: User = { username: 'kubernetes-admin', groups: ['system:masters'] }
  const { tokens, request } = setUp()
  const authenticator = createAuthenticator({ staticTokens: new Map([['secret', admin]]), tokens })

  it('accepts static tokens, account tokens and certificates', () => {
    expect(authenticator.authenticate({ bearerToken: 'secret' })).toEqual({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    expect(authenticator.authenticate({ bearerToken: tokens.issue(request).token })?.username).toBe(
      'system:serviceaccount:shop:agent',
    )
    expect(
      authenticator.authenticate({ certificate: { commonName: 'ann', organizations: ['devs'] } }),
    ).toEqual({
      username: 'ann',
      groups: ['devs', 'system:authenticated'],
    })
  })

  it('rejects an invalid token instead of treating it as anonymous', () => {
    expect(authenticator.authenticate({ bearerToken: 'wrong' })).toBeUndefined()
    expect(authenticator.authenticate({})).toEqual({
      username: 'system:anonymous',
      groups: ['system:unauthenticated'],
    })
  })
})
