/** The ports of authentication and authorisation. */
import type { User } from './user.ts'

/** The credentials of a connection and a request. */
export interface Credentials {
  bearerToken?: string
  /** The verified client certificate, if the client presented one. */
  certificate?: { commonName: string; organizations: readonly string[] }
  /** Whether the connection comes from the sandbox of an agent. */
  isFromSandbox?: boolean
}

export interface Authenticator {
  /** Returns the user: anonymous without credentials, and undefined if the credentials are invalid. */
  authenticate(credentials: Credentials): User | undefined
}

/** The attributes of a request to authorise. */
export interface Attributes {
  user: User
  verb: string
  /** Set for resource requests. */
  resource?: {
    group: string
    version: string
    plural: string
    subresource: string
    namespace: string
    name: string
  }
  /** Set for non-resource requests. */
  path?: string
}

export interface Decision {
  allowed: boolean
  /** The reason, or an empty string. */
  reason: string
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision
  /** Returns the rules of `user` in `namespace`, for a SelfSubjectRulesReview. */
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

/** The issuer and default audience of the tokens of a cluster. */
export const API_AUDIENCE = 'https://kubernetes.default.svc.cluster.local'

/** Issues and reviews the tokens of service accounts. */
export interface TokenIssuer {
  issue(options: {
    namespace: string
    name: string
    uid: string
    audiences: readonly string[]
    expirationSeconds: number
    boundTo?: { kind: string; apiVersion: string; name: string; uid: string }
  }): { token: string; expiresAt: number }
  /** Returns the user of a token that is valid for one of `audiences`. */
  review(token: string, audiences: readonly string[]): { user: User; audiences: string[] } | undefined
  /** Returns the error message if the token is genuine, but for other audiences; otherwise undefined. */
  audienceProblem(token: string, audiences: readonly string[]): string | undefined
  /** Returns the public keys that verify tokens, as JSON Web Keys. */
  publicKeys(): readonly object[]
}
