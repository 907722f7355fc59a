/** The API behind its door: authorisation, the verbs, and a record of what was changed. */
import { ApiError, forbidden, type KubeObject, noSuchResource } from '../meta/index.ts'
import type { Authorizer, TokenIssuer, User } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import type { ApiCall } from './api-call.ts'
import type { Audit } from './audit.ts'
import { auditCall, type CallRecord } from './audit-call.ts'
import { checkDefinition } from './check-definition.ts'
import { checkRoute } from './check-route.ts'
import { type Answer, perform } from './perform.ts'
import { performOperation } from './pod-operations.ts'
import { type Target, targetOf } from './target.ts'
import type { VirtualCall, VirtualResource } from './virtual-resource.ts'
import { type WatchSink, watchChanges } from './watch-changes.ts'

export interface ApiServiceOptions {
  core: Core
  authorizer: Authorizer
  tokens: TokenIssuer
  audit: Audit
  virtual: readonly VirtualResource[]
}

export interface OpenStream<T> {
  /** 101, or what the handshake was refused with. */
  code: number
  ended: Promise<T>
}

export interface ApiService {
  core: Core
  virtual: readonly VirtualResource[]
  tokens: TokenIssuer
  call(call: ApiCall, requestUri: string): Answer
  /** The two halves of a call whose body is still on its way: nobody unauthorised gets to send one. */
  admit(call: ApiCall, requestUri: string): void
  callAdmitted(call: ApiCall, requestUri: string, readBody: () => Promise<void>): Promise<Answer>
  /**
   * A call that opens a stream. `open` throws while it can still be refused, and tells what was answered: it is
   * recorded as soon as the stream stands, as nobody knows when it will end.
   */
  connect<T>(call: ApiCall, requestUri: string, open: () => OpenStream<T>): Promise<T>
  callVirtual(resource: VirtualResource, call: VirtualCall): { code: number; object: object }
  /** Begins a watch that has been admitted; the function ends it. */
  watchAdmitted(call: ApiCall, sink: WatchSink): () => void
  /** Throws Forbidden unless `user` may. An empty verb stands for a method that the API does not know. */
  authorize(user: User, verb: string, target: Target): void
  authorizePath(user: User, verb: string, path: string): void
}

const OPERATIONS = new Set(['eviction', 'binding', 'token'])

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

  const admitCall = (call: ApiCall): void => {
    authorize(call.user, call.verb, targetOf(call))
    checkRoute(call)
  }

  const dispatch = (call: ApiCall): Answer => {
    checkDefinition(core, call)
    return call.verb === 'create' && OPERATIONS.has(call.subresource)
      ? performOperation(core, call, tokens)
      : perform(core, call)
  }

  /** While a body was on its way the kind may have gone, or become another. */
  const lookAgain = (call: ApiCall): void => {
    const { group, version, kind } = call.served
    const served = core.directory.find(group, version, kind.plural)
    if (served === undefined) throw noSuchResource()
    call.served = served
    checkRoute(call)
  }

  /** Whatever `work` throws is recorded; what it answers, it records itself. */
  const recorded = <T>(
    call: ApiCall,
    requestUri: string,
    work: (record: CallRecord) => T,
    received = core.clock.now(),
  ): T => {
    const record = auditCall(audit, call, requestUri, received)
    try {
      return work(record)
    } catch (error) {
      record.failed(error)
      throw error
    }
  }

  return {
    core,
    virtual,
    tokens,
    authorize,
    authorizePath(user, verb, path) {
      if (authorizer.authorize({ user, verb, path }).allowed) return
      const why = `forbidden: User "${user.username}" cannot ${verb} path "${path}"`
      throw new ApiError(403, 'Forbidden', why, {})
    },
    call: (call, requestUri) =>
      recorded(call, requestUri, (record) => {
        admitCall(call)
        const answer = dispatch(call)
        record.answered(answer.code)
        return answer
      }),
    admit: (call, requestUri) => recorded(call, requestUri, () => admitCall(call)),
    async callAdmitted(call, requestUri, readBody) {
      const received = core.clock.now()
      let unread: unknown
      await readBody().catch((error: unknown) => {
        unread = error
      })
      return recorded(
        call,
        requestUri,
        (record) => {
          if (unread !== undefined) throw unread
          lookAgain(call)
          const answer = dispatch(call)
          record.answered(answer.code)
          return answer
        },
        received,
      )
    },
    connect: async (call, requestUri, open) =>
      recorded(call, requestUri, (record) => {
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
