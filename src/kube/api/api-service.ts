/** The API behind its door: authorisation, the verbs, and a record of what was changed. */
import { ApiError, forbidden, type KubeObject, toMicroTime } from '../meta/index.ts'
import type { Authorizer, TokenIssuer, User } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import type { ApiCall, Verb } from './api-call.ts'
import type { Audit } from './audit.ts'
import { type Answer, perform } from './perform.ts'
import { performOperation } from './pod-operations.ts'
import type { VirtualCall, VirtualResource } from './virtual-resource.ts'
import { type WatchSink, watchChanges } from './watch-changes.ts'

export interface ApiServiceOptions {
  core: Core
  authorizer: Authorizer
  tokens: TokenIssuer
  audit: Audit
  virtual: readonly VirtualResource[]
}

/** What is addressed, for authorisation and audit. */
export interface Target {
  group: string
  version: string
  plural: string
  subresource: string
  namespace: string
  name: string
}

export interface ApiService {
  core: Core
  virtual: readonly VirtualResource[]
  authorizer: Authorizer
  audit: Audit
  call(call: ApiCall, requestUri: string): Answer
  callVirtual(resource: VirtualResource, call: VirtualCall): { code: number; object: object }
  watch(call: ApiCall, sink: WatchSink): () => void
  /** Throws Forbidden unless `user` may. */
  authorize(user: User, verb: string, target: Target): void
  authorizePath(user: User, verb: string, path: string): void
}

const MUTATING = new Set<Verb>(['create', 'update', 'patch', 'delete', 'deletecollection'])
const SUBRESOURCE_POSTS = new Set(['eviction', 'binding', 'token'])

const targetOf = (call: ApiCall): Target => ({
  group: call.served.group,
  version: call.served.version,
  plural: call.served.kind.plural,
  subresource: call.subresource,
  namespace: call.namespace,
  name: call.name,
})

/** `User "x" cannot list resource "pods/log" in API group "" in the namespace "y"` */
const refusal = (user: User, verb: string, target: Target, reason: string): ApiError => {
  const resource = target.subresource === '' ? target.plural : `${target.plural}/${target.subresource}`
  const where = target.namespace === '' ? 'at the cluster scope' : `in the namespace "${target.namespace}"`
  const why = `User "${user.username}" cannot ${verb} resource "${resource}" in API group "${target.group}" ${where}`
  return forbidden(target, target.name, reason === '' ? why : `${why}: ${reason}`)
}

export const createApiService = ({
  core,
  authorizer,
  tokens,
  audit,
  virtual,
}: ApiServiceOptions): ApiService => {
  const authorize = (user: User, verb: string, target: Target): void => {
    const decision = authorizer.authorize({ user, verb, resource: target })
    if (!decision.allowed) throw refusal(user, verb, target, decision.reason)
  }

  const audited = <T extends { code: number }>(
    about: { user: User; verb: Verb; target: Target; userAgent: string; uri: string; body: unknown },
    work: () => T,
  ): T => {
    const received = toMicroTime(core.clock.now())
    const record = (responseStatus: { code: number; reason?: string; message?: string }): void => {
      const { target } = about
      audit.record({
        requestURI: about.uri,
        verb: about.verb,
        user: about.user,
        userAgent: about.userAgent,
        objectRef: {
          resource: target.plural,
          ...(target.namespace === '' ? {} : { namespace: target.namespace }),
          ...(target.name === '' ? {} : { name: target.name }),
          ...(target.group === '' ? {} : { apiGroup: target.group }),
          apiVersion: target.version,
          ...(target.subresource === '' ? {} : { subresource: target.subresource }),
        },
        responseStatus,
        ...(about.body === undefined || target.plural === 'secrets' ? {} : { requestObject: about.body }),
        requestReceivedTimestamp: received,
      })
    }
    try {
      const answer = work()
      record({ code: answer.code })
      return answer
    } catch (error) {
      if (error instanceof ApiError)
        record({ code: error.code, reason: error.reason, message: error.message })
      else record({ code: 500, reason: 'InternalError', message: String(error) })
      throw error
    }
  }

  const dispatch = (call: ApiCall): Answer => {
    authorize(call.user, call.verb, targetOf(call))
    return call.verb === 'create' && SUBRESOURCE_POSTS.has(call.subresource)
      ? performOperation(core, call, tokens)
      : perform(core, call)
  }

  return {
    core,
    virtual,
    authorizer,
    audit,
    authorize,
    authorizePath(user, verb, path) {
      const decision = authorizer.authorize({ user, verb, path })
      if (decision.allowed) return
      throw new ApiError(
        403,
        'Forbidden',
        `forbidden: User "${user.username}" cannot ${verb} path "${path}"`,
        {},
      )
    },
    call(call, uri) {
      if (!MUTATING.has(call.verb)) return dispatch(call)
      const { user, verb, userAgent } = call
      return audited({ user, verb, target: targetOf(call), userAgent, uri, body: call.body?.value }, () =>
        dispatch(call),
      )
    },
    callVirtual(resource, call) {
      const { group, version, plural } = resource
      const target = { group, version, plural, subresource: '', namespace: call.namespace, name: call.name }
      authorize(call.user, call.verb, target)
      return resource.serve(call) as { code: number; object: KubeObject }
    },
    watch(call, sink) {
      authorize(call.user, 'watch', targetOf(call))
      return watchChanges(core, call, sink)
    },
  }
}
