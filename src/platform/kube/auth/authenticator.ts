/** Authenticates requests by certificate or bearer token; others are anonymous. */
import type { Authenticator, TokenIssuer, User } from '#platform/kube/ports'

export interface AuthenticatorOptions {
  /** Bearer tokens that never expire. */
  staticTokens?: ReadonlyMap<string, User>
  tokens: TokenIssuer
  /** Returns whether the tokens of a user are accepted only from a sandbox; false by default. */
  isConfined?(user: User): boolean
}

const AUTHENTICATED_GROUP = 'system:authenticated'

const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'] }

const withAuthenticatedGroup = (user: User): User =>
  user.groups.includes(AUTHENTICATED_GROUP)
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] }

export const createAuthenticator = ({
  staticTokens,
  tokens,
  isConfined = () => false,
}: AuthenticatorOptions): Authenticator => ({
  authenticate({ bearerToken, certificate, isFromSandbox = false }) {
    if (certificate !== undefined)
      return withAuthenticatedGroup({ username: certificate.commonName, groups: certificate.organizations })
    if (bearerToken === undefined) return ANONYMOUS
    const known = staticTokens?.get(bearerToken)
    if (known !== undefined) return withAuthenticatedGroup(known)
    const user = tokens.review(bearerToken, [])?.user
    return user !== undefined && !isFromSandbox && isConfined(user) ? undefined : user
  },
})
