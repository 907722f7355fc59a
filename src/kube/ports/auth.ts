/** The ports of authentication and authorisation. */
import type { User } from './user.ts'

/** What came with a connection and a request that may prove who is there. */
export interface Credentials {
  bearerToken?: string
  /** The verified client certificate, if the client showed one. */
  certificate?: { commonName: string; organizations: readonly string[] }
}

export interface Authenticator {
  /** The user; anonymous where nothing was shown; undefined where what was shown is wrong. */
  authenticate(credentials: Credentials): User | undefined
}

/** What a user wants to do. */
export interface Attributes {
  user: User
  verb: string
  /** Set for requests on resources. */
  resource?: {
    group: string
    version: string
    plural: string
    subresource: string
    namespace: string
    name: string
  }
  /** Set for all others. */
  path?: string
}

export interface Decision {
  allowed: boolean
  /** Why, where there is something to say; an empty string otherwise. */
  reason: string
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision
  /** What `user` may do in `namespace`: the answer of a SelfSubjectRulesReview. */
  rulesFor(
    user: User,
    namespace: string,
  ): {
    resourceRules: readonly {
      verbs: string[]
      apiGroups: string[]
      resources: string[]
      resourceNames?: string[]
    }[]
    nonResourceRules: readonly { verbs: string[]; nonResourceURLs: string[] }[]
  }
}

/** Who issues the tokens of a cluster, and for whom unless a client says otherwise. */
export const API_AUDIENCE = 'https://kubernetes.default.svc.cluster.local'

/** Issues tokens for service accounts. */
export interface TokenIssuer {
  issue(options: {
    namespace: string
    name: string
    uid: string
    audiences: readonly string[]
    expirationSeconds: number
    boundTo?: { kind: string; apiVersion: string; name: string; uid: string }
  }): { token: string; expiresAt: number }
  /** Who a token stands for, if it is good for one of `audiences`. */
  review(token: string, audiences: readonly string[]): { user: User; audiences: string[] } | undefined
  /** The keys with which anybody can check a token, as JSON Web Keys. */
  publicKeys(): readonly object[]
}
