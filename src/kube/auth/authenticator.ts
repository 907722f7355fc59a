/** Who makes a request: by certificate, by token, or nobody in particular. */
import type { Authenticator, TokenIssuer, User } from '../ports/index.ts'

export interface AuthenticatorOptions {
  /** Bearer tokens that stand for a user as long as the cluster lives. */
  staticTokens?: ReadonlyMap<string, User>
  tokens: TokenIssuer
}

const AUTHENTICATED = 'system:authenticated'

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

const authenticated = (user: User): User =>
  user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] }

export const createAuthenticator = ({ staticTokens, tokens }: AuthenticatorOptions): Authenticator => ({
  authenticate({ bearerToken, certificate }) {
    if (certificate !== undefined)
      return authenticated({ username: certificate.commonName, groups: certificate.organizations })
    if (bearerToken === undefined) return ANONYMOUS
    const known = staticTokens?.get(bearerToken)
    return known === undefined ? tokens.review(bearerToken, [])?.user : authenticated(known)
  },
})
