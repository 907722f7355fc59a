/** An issuer of unsigned, readable tokens, for tests. */
import type { TokenIssuer } from '#platform/kube/ports'

const EXPIRES_AT = Date.UTC(2026, 0, 2)

export const testTokens: TokenIssuer = {
  issue: ({ namespace, name, audiences }) => ({
    token: `${namespace}:${name}:${audiences.join('+')}`,
    expiresAt: EXPIRES_AT,
  }),
  audienceProblem: () => undefined,
  publicKeys: () => [],
  review(token, audiences) {
    const [namespace, name, issuedFor = ''] = token.split(':')
    if (name === undefined) return undefined
    const user = {
      username: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts'],
    }
    return { user, audiences: audiences.length > 0 ? [...audiences] : issuedFor.split('+') }
  },
}
