/** Tokens that can be read without a key: good enough to see that they are asked for and given back. */
import type { TokenIssuer } from '../../ports/index.ts'

const LIFE_OF_TEST = Date.UTC(2026, 0, 2)

export const testTokens: TokenIssuer = {
  issue: ({ namespace, name, audiences }) => ({
    token: `${namespace}:${name}:${audiences.join('+')}`,
    expiresAt: LIFE_OF_TEST,
  }),
  publicKeys: () => [],
  review(token, audiences) {
    const [namespace, name, given = ''] = token.split(':')
    if (name === undefined) return undefined
    const user = {
      username: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts'],
    }
    return { user, audiences: audiences.length > 0 ? [...audiences] : given.split('+') }
  },
}
