/** Tokens of service accounts: issued, and found good or bad against what exists now. */
import type { Clock, Random } from '../../kit/index.ts'
import { type Kind, nodes, pods, secrets, serviceAccounts } from '../kinds/index.ts'
import { fromTime, type KubeObject } from '../meta/index.ts'
import { API_AUDIENCE, type Client, type TokenIssuer, type User } from '../ports/index.ts'
import { type Claims, createTokenSigner } from './json-web-token.ts'
import { serviceAccountUser, serviceAccountUsername } from './service-account-user.ts'

const LEGACY_ISSUER = 'kubernetes/serviceaccount'

/** The life that pods ask for; clients that do not reload their token are borne with for a year. */
const POD_TOKEN_SECONDS = 3607
const YEAR_SECONDS = 365 * 24 * 3600
/** How long the token of something that is being deleted stays good. */
const DELETION_LEEWAY_MS = 60_000

export interface ServiceAccountTokens extends TokenIssuer {
  /** A token without end, for a Secret that keeps it. */
  issueLegacy(options: { namespace: string; name: string; uid: string; secretName: string }): string
}

interface Reference {
  name: string
  uid: string
}

interface BoundClaims {
  namespace: string
  serviceaccount: Reference
  pod?: Reference
  secret?: Reference
  node?: Reference
}

type IssueOptions = Parameters<TokenIssuer['issue']>[0]

const BOUND_KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['pod', pods],
  ['secret', secrets],
  ['node', nodes],
])

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => b.includes(one))

const legacyOf = (claims: Claims): BoundClaims => {
  const read = (name: string): string => String(claims[`kubernetes.io/serviceaccount/${name}`] ?? '')
  return {
    namespace: read('namespace'),
    serviceaccount: { name: read('service-account.name'), uid: read('service-account.uid') },
    secret: { name: read('secret.name'), uid: '' },
  }
}

export const createTokenIssuer = ({
  client,
  clock,
  random,
}: {
  client: Client
  clock: Clock
  random: Random
}): ServiceAccountTokens => {
  const signer = createTokenSigner()

  /** Whether the object is still there, with the same identity, and not gone for good. */
  const stands = (kind: Kind, namespace: string, { name, uid }: Reference): boolean => {
    const object = client.get(kind, kind.namespaced ? namespace : '', name) as KubeObject | undefined
    if (object === undefined || (uid !== '' && object.metadata.uid !== uid)) return false
    const { deletionTimestamp } = object.metadata
    return deletionTimestamp === undefined || fromTime(deletionTimestamp) >= clock.now() - DELETION_LEEWAY_MS
  }

  const boundClaims = ({ namespace, boundTo }: IssueOptions): Partial<BoundClaims> => {
    if (boundTo === undefined) return {}
    const { name } = boundTo
    const kind = BOUND_KINDS.get(boundTo.kind.toLowerCase())
    const object =
      kind && (client.get(kind, kind.namespaced ? namespace : '', name) as KubeObject | undefined)
    const reference = { name, uid: boundTo.uid || (object?.metadata.uid ?? '') }
    if (boundTo.kind !== 'Pod') return { [boundTo.kind.toLowerCase()]: reference }
    const node = object?.spec.nodeName ? client.get(nodes, '', object.spec.nodeName) : undefined
    return node === undefined
      ? { pod: reference }
      : { pod: reference, node: { name: node.metadata.name, uid: node.metadata.uid } }
  }

  const userOf = ({ namespace, serviceaccount, pod, node }: BoundClaims, id: unknown): User => {
    const extra: Record<string, readonly string[]> = {}
    const tell = (key: string, value: string | undefined): void => {
      if (value !== undefined) extra[`authentication.kubernetes.io/${key}`] = [value]
    }
    tell('credential-id', typeof id === 'string' ? `JTI=${id}` : undefined)
    tell('node-name', node?.name)
    tell('node-uid', node?.uid)
    tell('pod-name', pod?.name)
    tell('pod-uid', pod?.uid)
    const user = serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid)
    return Object.keys(extra).length === 0 ? user : { ...user, extra }
  }

  const isCurrent = ({ nbf, exp }: Claims): boolean => {
    const now = Math.floor(clock.now() / 1000)
    return (typeof nbf !== 'number' || nbf <= now) && (typeof exp !== 'number' || now < exp)
  }

  const isValid = (bound: BoundClaims): boolean =>
    stands(serviceAccounts, bound.namespace, bound.serviceaccount) &&
    (bound.pod === undefined
      ? bound.secret !== undefined || bound.node === undefined || stands(nodes, '', bound.node)
      : stands(pods, bound.namespace, bound.pod)) &&
    (bound.secret === undefined || stands(secrets, bound.namespace, bound.secret))

  /** A Secret made anew under an old name must not bring an old token back to life. */
  const isKept = ({ namespace, secret }: BoundClaims, token: string): boolean =>
    client.get(secrets, namespace, secret?.name ?? '')?.data?.token === Buffer.from(token).toString('base64')

  return {
    issue(options) {
      const { namespace, name, uid, audiences, expirationSeconds } = options
      const now = Math.floor(clock.now() / 1000)
      const extended = expirationSeconds === POD_TOKEN_SECONDS && same(audiences, [API_AUDIENCE])
      const expires = now + expirationSeconds
      const token = signer.sign({
        aud: audiences,
        exp: extended ? now + YEAR_SECONDS : expires,
        iat: now,
        iss: API_AUDIENCE,
        jti: random.uuid(),
        'kubernetes.io': {
          namespace,
          ...boundClaims(options),
          serviceaccount: { name, uid },
          ...(extended ? { warnafter: expires } : {}),
        },
        nbf: now,
        sub: serviceAccountUsername(namespace, name),
      })
      return { token, expiresAt: expires * 1000 }
    },

    issueLegacy: ({ namespace, name, uid, secretName }) =>
      signer.sign({
        iss: LEGACY_ISSUER,
        'kubernetes.io/serviceaccount/namespace': namespace,
        'kubernetes.io/serviceaccount/secret.name': secretName,
        'kubernetes.io/serviceaccount/service-account.name': name,
        'kubernetes.io/serviceaccount/service-account.uid': uid,
        sub: serviceAccountUsername(namespace, name),
      }),

    publicKeys: () => [signer.publicKey()],

    review(token, audiences) {
      const claims = signer.verify(token)
      if (claims === undefined || !isCurrent(claims)) return undefined
      const isLegacy = claims.iss === LEGACY_ISSUER
      const meant = isLegacy ? [API_AUDIENCE] : (claims.aud as string[])
      const accepted = (audiences.length === 0 ? [API_AUDIENCE] : audiences).filter((one) =>
        meant.includes(one),
      )
      const bound = isLegacy ? legacyOf(claims) : (claims['kubernetes.io'] as BoundClaims | undefined)
      if (accepted.length === 0 || bound === undefined || !isValid(bound)) return undefined
      if (isLegacy && !isKept(bound, token)) return undefined
      return { user: userOf(bound, claims.jti), audiences: accepted }
    },
  }
}
