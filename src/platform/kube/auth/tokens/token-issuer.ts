/** Issues service account tokens, and verifies them against the existing objects. */
import type { Clock, Random } from '#kit'
import { type Kind, nodes, pods, secrets, serviceAccounts } from '#platform/kube/kinds'
import { fromTime, type KubeObject } from '#platform/kube/meta'
import { API_AUDIENCE, type Client, type TokenIssuer, type User } from '#platform/kube/ports'
import { serviceAccountUser, serviceAccountUsername } from '../service-account-user.ts'
import { type Claims, createTokenSigner } from './token-signer.ts'

const LEGACY_ISSUER = 'kubernetes/serviceaccount'

/** The lifetime that pods request. Such tokens are valid for a year, for clients that do not reload them. */
const POD_TOKEN_SECONDS = 3607
const YEAR_SECONDS = 365 * 24 * 3600
/** How long a token stays valid after the deletion timestamp of its account or bound object. */
const DELETION_LEEWAY_MS = 60_000

export interface ServiceAccountTokens extends TokenIssuer {
  /** Issues a token without expiry, to be stored in a Secret. */
  issueLegacy(options: LegacyOptions): string
}

interface LegacyOptions {
  namespace: string
  name: string
  uid: string
  secretName: string
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

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((element) => b.includes(element))

const parseLegacyClaims = (claims: Claims): BoundClaims => {
  const read = (name: string): string => String(claims[`kubernetes.io/serviceaccount/${name}`] ?? '')
  return {
    namespace: read('namespace'),
    serviceaccount: { name: read('service-account.name'), uid: read('service-account.uid') },
    secret: { name: read('secret.name'), uid: '' },
  }
}

export interface TokenIssuerOptions {
  client: Client
  clock: Clock
  random: Random
  /** Signs the tokens. By default, a key pair is generated. */
  sharedKey?: string
}

const boundClaims = (client: Client, { namespace, boundTo }: IssueOptions): Partial<BoundClaims> => {
  if (boundTo === undefined) return {}
  const { name } = boundTo
  const kind = BOUND_KINDS.get(boundTo.kind.toLowerCase())
  const object = kind && (client.get(kind, kind.namespaced ? namespace : '', name) as KubeObject | undefined)
  const reference = { name, uid: boundTo.uid || (object?.metadata.uid ?? '') }
  if (boundTo.kind !== 'Pod') return { [boundTo.kind.toLowerCase()]: reference }
  const node = object?.spec.nodeName ? client.get(nodes, '', object.spec.nodeName) : undefined
  return node === undefined
    ? { pod: reference }
    : { pod: reference, node: { name: node.metadata.name, uid: node.metadata.uid } }
}

const userOf = ({ namespace, serviceaccount, pod, node }: BoundClaims, id: unknown): User => {
  const extra: Record<string, readonly string[]> = {}
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined) extra[`authentication.kubernetes.io/${key}`] = [value]
  }
  add('credential-id', typeof id === 'string' ? `JTI=${id}` : undefined)
  add('node-name', node?.name)
  add('node-uid', node?.uid)
  add('pod-name', pod?.name)
  add('pod-uid', pod?.uid)
  const user = serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid)
  return Object.keys(extra).length === 0 ? user : { ...user, extra }
}

const isCurrent = ({ nbf, exp }: Claims, clock: Clock): boolean => {
  const now = Math.floor(clock.now() / 1000)
  return (typeof nbf !== 'number' || nbf <= now) && (typeof exp !== 'number' || now < exp)
}

/** Checks that the account and the bound objects still exist. */
const createBindingCheck = ({ client, clock }: TokenIssuerOptions): ((bound: BoundClaims) => boolean) => {
  const exists = (kind: Kind, namespace: string, { name, uid }: Reference): boolean => {
    const object = client.get(kind, kind.namespaced ? namespace : '', name) as KubeObject | undefined
    if (object === undefined || (uid !== '' && object.metadata.uid !== uid)) return false
    const { deletionTimestamp } = object.metadata
    return deletionTimestamp === undefined || fromTime(deletionTimestamp) >= clock.now() - DELETION_LEEWAY_MS
  }
  return (bound) =>
    exists(serviceAccounts, bound.namespace, bound.serviceaccount) &&
    (bound.pod === undefined
      ? bound.secret !== undefined || bound.node === undefined || exists(nodes, '', bound.node)
      : exists(pods, bound.namespace, bound.pod)) &&
    (bound.secret === undefined || exists(secrets, bound.namespace, bound.secret))
}

/** A recreated Secret of the same name must not make an old token valid again. */
const isInSecret = (client: Client, { namespace, secret }: BoundClaims, token: string): boolean =>
  client.get(secrets, namespace, secret?.name ?? '')?.data?.token === Buffer.from(token).toString('base64')

const toLegacyClaims = ({ namespace, name, uid, secretName }: LegacyOptions): Claims => ({
  iss: LEGACY_ISSUER,
  'kubernetes.io/serviceaccount/namespace': namespace,
  'kubernetes.io/serviceaccount/secret.name': secretName,
  'kubernetes.io/serviceaccount/service-account.name': name,
  'kubernetes.io/serviceaccount/service-account.uid': uid,
  sub: serviceAccountUsername(namespace, name),
})

/** The audiences that a token was issued for. */
const intendedAudiences = (claims: Claims): readonly string[] =>
  claims.iss === LEGACY_ISSUER ? [API_AUDIENCE] : (claims.aud as string[])

const targetAudiences = (audiences: readonly string[]): readonly string[] =>
  audiences.length === 0 ? [API_AUDIENCE] : audiences

/** Formats a list as Go's `%q`: `["a" "b"]`. */
const goList = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`

export const createTokenIssuer = (issuerOptions: TokenIssuerOptions): ServiceAccountTokens => {
  const { client, clock, random } = issuerOptions
  const signer = createTokenSigner(issuerOptions.sharedKey)
  const isValid = createBindingCheck(issuerOptions)
  const readCurrentClaims = (token: string): Claims | undefined => {
    const claims = signer.verify(token)
    return claims !== undefined && isCurrent(claims, clock) ? claims : undefined
  }

  return {
    issue(options) {
      const { namespace, name, uid, audiences, expirationSeconds } = options
      const now = Math.floor(clock.now() / 1000)
      const isExtended = expirationSeconds === POD_TOKEN_SECONDS && isSameSet(audiences, [API_AUDIENCE])
      const expires = now + expirationSeconds
      const token = signer.sign({
        aud: audiences,
        exp: isExtended ? now + YEAR_SECONDS : expires,
        iat: now,
        iss: API_AUDIENCE,
        jti: random.uuid(),
        'kubernetes.io': {
          namespace,
          ...boundClaims(client, options),
          serviceaccount: { name, uid },
          ...(isExtended ? { warnafter: expires } : {}),
        },
        nbf: now,
        sub: serviceAccountUsername(namespace, name),
      })
      return { token, expiresAt: expires * 1000 }
    },

    issueLegacy: (options) => signer.sign(toLegacyClaims(options)),

    publicKeys: () => signer.publicKeys(),

    review(token, audiences) {
      const claims = readCurrentClaims(token)
      if (claims === undefined) return undefined
      const isLegacy = claims.iss === LEGACY_ISSUER
      const intended = intendedAudiences(claims)
      const accepted = targetAudiences(audiences).filter((audience) => intended.includes(audience))
      const bound = isLegacy
        ? parseLegacyClaims(claims)
        : (claims['kubernetes.io'] as BoundClaims | undefined)
      if (accepted.length === 0 || bound === undefined || !isValid(bound)) return undefined
      if (isLegacy && !isInSecret(client, bound, token)) return undefined
      return { user: userOf(bound, claims.jti), audiences: accepted }
    },

    audienceProblem(token, audiences) {
      const claims = readCurrentClaims(token)
      if (claims === undefined) return undefined
      const [intended, targets] = [intendedAudiences(claims), targetAudiences(audiences)]
      return targets.some((audience) => intended.includes(audience))
        ? undefined
        : `token audiences ${goList(intended)} is invalid for the target audiences ${goList(targets)}`
    },
  }
}
