/** Creates the virtual resources for access, rules, subject and token reviews. */
import { defined } from '#kit'
import { badRequest, type KubeObject } from '#platform/kube/meta'
import { API_AUDIENCE, type Authorizer, type TokenIssuer, type User } from '#platform/kube/ports'
import { decodeBody, expectType } from '../request/decode-call-body.ts'
import { checkLocalReview, checkReview, checkSelfReview, type DecodedReview } from './check-access-review.ts'
import type { VirtualCall, VirtualResource } from './virtual-resource.ts'

/** Decodes the body with its schema. */
const decodeReview = (group: string, kind: string, call: VirtualCall): DecodedReview => {
  if (call.body === undefined) throw badRequest('unexpected end of JSON input')
  const options = { validation: 'Ignore' as const, warnings: [] }
  const { spec = {}, metadata } = decodeBody(expectType(group, 'v1', kind), call.body, options)
  return { spec, metadata }
}

const toAnswer = (
  group: string,
  kind: string,
  review: DecodedReview,
  status: object,
): { code: number; object: object } => ({
  code: 201,
  object: {
    kind,
    apiVersion: `${group}/v1`,
    metadata: { creationTimestamp: null, ...review.metadata },
    spec: review.spec,
    status,
  },
})

interface ResourceAttributes {
  namespace?: string
  verb?: string
  group?: string
  version?: string
  resource?: string
  subresource?: string
  name?: string
}

const decide = (authorizer: Authorizer, user: User, spec: Record<string, any>): object => {
  const resource = spec.resourceAttributes as ResourceAttributes | undefined
  const path = spec.nonResourceAttributes as { path?: string; verb?: string } | undefined
  const decision =
    resource === undefined
      ? authorizer.authorize({ user, verb: path?.verb ?? '', path: path?.path ?? '' })
      : authorizer.authorize({
          user,
          verb: resource.verb ?? '',
          resource: {
            group: resource.group ?? '',
            version: resource.version ?? '',
            plural: resource.resource ?? '',
            subresource: resource.subresource ?? '',
            namespace: resource.namespace ?? '',
            name: resource.name ?? '',
          },
        })
  return { allowed: decision.allowed, ...(decision.reason === '' ? {} : { reason: decision.reason }) }
}

const userOf = (spec: Record<string, any>): User => ({
  username: spec.user ?? '',
  groups: spec.groups ?? [],
  ...defined({ uid: spec.uid, extra: spec.extra }),
})

const AUTHORIZATION = 'authorization.k8s.io'
const AUTHENTICATION = 'authentication.k8s.io'

const createReview = (
  group: string,
  kind: string,
  namespaced: boolean,
  serve: (call: VirtualCall, body: DecodedReview) => object,
): VirtualResource => ({
  group,
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  namespaced,
  verbs: ['create'],
  serve(call) {
    const body = decodeReview(group, kind, call)
    return toAnswer(group, kind, body, serve(call, body)) as { code: number; object: KubeObject }
  },
})

const userStatus = ({ username, uid, groups, extra }: User): object => ({
  username,
  ...defined({ uid }),
  groups,
  ...defined({ extra }),
})

const INVALID_TOKEN = 'invalid bearer token'

const reviewToken = (
  token: string,
  audiences: readonly string[],
  tokens: TokenIssuer,
  staticTokens: ReadonlyMap<string, User>,
): object => {
  const isForServer = audiences.length === 0 || audiences.includes(API_AUDIENCE)
  const known = isForServer ? staticTokens.get(token) : undefined
  const found =
    known === undefined ? tokens.review(token, audiences) : { user: known, audiences: [API_AUDIENCE] }
  if (found !== undefined)
    return { authenticated: true, user: userStatus(found.user), audiences: found.audiences }
  const problem = tokens.audienceProblem(token, audiences)
  return { user: {}, error: problem === undefined ? INVALID_TOKEN : `[${INVALID_TOKEN}, ${problem}]` }
}

/** `staticTokens` are the bearer tokens other than those of service accounts; the map can change later. */
export const createReviews = (
  authorizer: Authorizer,
  tokens: TokenIssuer,
  staticTokens: ReadonlyMap<string, User>,
): VirtualResource[] => [
  createReview(AUTHORIZATION, 'SelfSubjectAccessReview', false, (call, body) => {
    checkSelfReview(body)
    return decide(authorizer, call.user, body.spec)
  }),
  createReview(AUTHORIZATION, 'SubjectAccessReview', false, (_, body) => {
    checkReview(body)
    return decide(authorizer, userOf(body.spec), body.spec)
  }),
  createReview(AUTHORIZATION, 'LocalSubjectAccessReview', true, (call, body) => {
    checkLocalReview(body, call.namespace)
    return decide(authorizer, userOf(body.spec), body.spec)
  }),
  createReview(AUTHORIZATION, 'SelfSubjectRulesReview', false, (call, { spec }) => {
    if (!spec.namespace) throw badRequest('no namespace on request')
    return { ...authorizer.rulesFor(call.user, spec.namespace), incomplete: false }
  }),
  createReview(AUTHENTICATION, 'SelfSubjectReview', false, (call) => ({ userInfo: userStatus(call.user) })),
  createReview(AUTHENTICATION, 'TokenReview', false, (_, { spec }) => {
    if (!spec.token) throw badRequest('token is required for TokenReview in authentication')
    return reviewToken(spec.token, spec.audiences ?? [], tokens, staticTokens)
  }),
]
