/** The API independent of its transport: authorisation, verbs and audit. */
import { ApiError, forbidden, type KubeObject, noSuchResource } from '#platform/kube/meta'
import type { Authorizer, TokenIssuer, User } from '#platform/kube/ports'
import type { Core } from '#platform/kube/resources'
import type { Audit } from './audit/audit.ts'
import { auditCall, type CallRecord } from './audit/audit-call.ts'
import { type Answer, perform } from './objects/perform.ts'
import { performOperation } from './pods/perform-operation.ts'
import type { ApiCall } from './request/api-call.ts'
import { checkDefinition } from './request/check-definition.ts'
import { checkRoute } from './request/check-route.ts'
import { type Target, targetOf } from './request/target.ts'
import type { VirtualCall, VirtualResource } from './reviews/virtual-resource.ts'
import { type WatchSink, watchChanges } from './watch/watch-changes.ts'

export interface ApiServiceOptions {
  core: Core
  authorizer: Authorizer
  tokens: TokenIssuer
  audit: Audit
  virtual: readonly VirtualResource[]
}

export interface OpenStream<T> {
  /** 101, or the status code of a rejected handshake. */
  code: number
  ended: Promise<T>
}

export interface ApiService {
  core: Core
  virtual: readonly VirtualResource[]
  tokens: TokenIssuer
  call(call: ApiCall, requestUri: string): Answer
  /** First half of a call: authorises it and checks its route, so that the body of a rejected call is never read. */
  admit(call: ApiCall, requestUri: string): void
  /** Second half: reads the body and performs the call. */
  callAdmitted(call: ApiCall, requestUri: string, readBody: () => Promise<void>): Promise<Answer>
  /**
   * A call that opens a stream. `open` throws if the request is rejected before the handshake. The call is audited as
   * soon as `open` returns, because the stream may stay open for long.
   */
  connect<T>(call: ApiCall, requestUri: string, open: () => OpenStream<T>): Promise<T>
  callVirtual(resource: VirtualResource, call: VirtualCall): { code: number; object: object }
  /** Starts a watch that `admit` has authorised; the returned function stops it. */
  watchAdmitted(call: ApiCall, sink: WatchSink): () => void
  /** Throws Forbidden if `user` lacks the permission. An empty verb means an unknown HTTP method. */
  authorize(user: User, verb: string, target: Target): void
  authorizePath(user: User, verb: string, path: string): void
}

const OPERATIONS = new Set(['eviction', 'binding', 'token'])

/** `User "x" cannot list resource "pods/log" in API group "" in the namespace "y"` */
const forbiddenError = (user: User, verb: string, target: Target, reason: string): ApiError => {
  const resource = target.subresource === '' ? target.plural : `${target.plural}/${target.subresource}`
  const scope = target.namespace === '' ? 'at the cluster scope' : `in the namespace "${target.namespace}"`
  const detail = `User "${user.username}" cannot ${verb} resource "${resource}" in API group "${target.group}" ${scope}`
  return forbidden(target, target.name, reason === '' ? detail : `${detail}: ${reason}`)
}

type Authorization = Pick<ApiService, 'authorize' | 'authorizePath'>

const createAuthorization = (authorizer: Authorizer): Authorization => ({
  authorize(user, verb, target) {
    const decision = authorizer.authorize({ user, verb, resource: target })
    if (!decision.allowed) throw forbiddenError(user, verb, target, decision.reason)
  },
  authorizePath(user, verb, path) {
    if (authorizer.authorize({ user, verb, path }).allowed) return
    const detail = `forbidden: User "${user.username}" cannot ${verb} path "${path}"`
    throw new ApiError(403, 'Forbidden', detail, {})
  },
})

const dispatch = (core: Core, call: ApiCall, tokens: TokenIssuer): Answer => {
  checkDefinition(core, call)
  return call.verb === 'create' && OPERATIONS.has(call.subresource)
    ? performOperation(core, call, tokens)
    : perform(core, call)
}

/** The kind may have been removed or replaced while the body was read. */
const refreshServed = (core: Core, call: ApiCall): void => {
  const { group, version, kind } = call.served
  const served = core.directory.find(group, version, kind.plural)
  if (served === undefined) throw noSuchResource()
  call.served = served
  checkRoute(call)
}

export const createApiService = (options: ApiServiceOptions): ApiService => {
  const { core, tokens, audit, virtual } = options
  const authorization = createAuthorization(options.authorizer)

  const admitCall = (call: ApiCall): void => {
    authorization.authorize(call.user, call.verb, targetOf(call))
    checkRoute(call)
  }

  const answerCall = (call: ApiCall, record: CallRecord): Answer => {
    const answer = dispatch(core, call, tokens)
    record.answered(answer.code)
    return answer
  }

  /** Audits an error that `task` throws; `task` itself audits success. */
  const withAudit = <T>(
    call: ApiCall,
    requestUri: string,
    task: (record: CallRecord) => T,
    received = core.clock.now(),
  ): T => {
    const record = auditCall(audit, call, requestUri, received)
    try {
      return task(record)
    } catch (error) {
      record.failed(error)
      throw error
    }
  }

  return {
    core,
    virtual,
    tokens,
    ...authorization,
    call: (call, requestUri) =>
      withAudit(call, requestUri, (record) => {
        admitCall(call)
        return answerCall(call, record)
      }),
    admit: (call, requestUri) => withAudit(call, requestUri, () => admitCall(call)),
    async callAdmitted(call, requestUri, readBody) {
      const received = core.clock.now()
      let readError: unknown
      await readBody().catch((error: unknown) => {
        readError = error
      })
      const answer = (record: CallRecord): Answer => {
        if (readError !== undefined) throw readError
        refreshServed(core, call)
        return answerCall(call, record)
      }
      return withAudit(call, requestUri, answer, received)
    },
    connect: async (call, requestUri, open) =>
      withAudit(call, requestUri, (record) => {
        admitCall(call)
        const { code, ended } = open()
        record.answered(code)
        return ended
      }),
    callVirtual(resource, call) {
      return resource.serve(call) as { code: number; object: KubeObject }
    },
    watchAdmitted: (call, sink) => watchChanges(core, call, sink),
  }
}
