/** Serves one HTTP request for a resource: authorisation, body, verb, answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#kit'
import { methodNotAllowed, noSuchResource } from '#platform/kube/meta'
import type { NodeDirectory, User } from '#platform/kube/ports'
import { upgradeRequired } from '#platform/kube/streams'
import { isPretty } from '../answer/is-pretty.ts'
import { negotiate, wantsYaml } from '../answer/negotiate.ts'
import { respond, warningHeaders } from '../answer/respond.ts'
import { sendAnswer } from '../answer/send-answer.ts'
import type { ApiService } from '../api-service.ts'
import { serveLog } from '../pods/serve-log.ts'
import { type ApiCall, isStream, MUTATING_VERBS, type Verb } from '../request/api-call.ts'
import { parseObjectBody, parsePatchBody, patchTypeOf } from '../request/parse-body.ts'
import type { ResourcePath } from '../request/parse-path.ts'
import { declaredBytes, readBytes } from '../request/read-bytes.ts'
import { requestVerb } from '../request/request-verb.ts'
import { toTarget } from '../request/target.ts'
import type { VirtualResource } from '../reviews/virtual-resource.ts'
import { serveWatch, type WatchLimits } from '../watch/serve-watch.ts'
import { createWriteLimiter, type WriteLimiter } from './write-limiter.ts'

export interface ResourceRequest {
  path: ResourcePath
  query: URLSearchParams
  user: User
  request: IncomingMessage
  response: ServerResponse
  /** Throws if the credentials are no longer valid. */
  confirmUser(): void
}

export interface ResourceServerOptions {
  service: ApiService
  nodes: NodeDirectory
  /** Real time, for timeouts of client connections. */
  realClock: Clock
  watchLimits: WatchLimits
  /** Receives errors other than ApiError. */
  onUnexpected(error: unknown): void
}

/** Resolves to false if the API group and version are not served. */
export type ResourceServer = (incoming: ResourceRequest) => Promise<boolean>

/** Returns a function that reads the body, if the verb needs one, into the call. */
const createBodyReader =
  (call: ApiCall, request: IncomingMessage, limiter: WriteLimiter) => async (): Promise<void> => {
    const read = (): Promise<Buffer> => readBytes(request, (bytes) => limiter.countMore(call.user, bytes))
    const contentType = request.headers['content-type']
    const kind = call.served.kind.kind
    if (call.verb === 'patch') {
      call.patchType = patchTypeOf(contentType)
      call.body = parsePatchBody(await read(), call.patchType)
    } else if (call.verb === 'create' || call.verb === 'update') {
      call.body = parseObjectBody(await read(), contentType, kind)
    } else if (call.verb === 'delete' || call.verb === 'deletecollection') {
      const bytes = await read()
      if (bytes.length > 0) call.body = parseObjectBody(bytes, contentType, 'DeleteOptions')
    }
  }

const findVirtual = (
  service: ApiService,
  { group, version, plural }: ResourcePath,
): VirtualResource | undefined =>
  service.virtual.find(
    (resource) => resource.group === group && resource.version === version && resource.plural === plural,
  )

const isKnownGroupVersion = ({ core, virtual }: ApiService, { group, version }: ResourcePath): boolean =>
  core.directory.hasGroupVersion(group, version) ||
  virtual.some((resource) => resource.group === group && resource.version === version)

const checkVirtualRoute = (resource: VirtualResource, verb: Verb, path: ResourcePath): void => {
  const { namespace, name, subresource } = path
  const isMisplaced = resource.namespaced ? namespace === '' && name !== '' : namespace !== ''
  if (subresource !== '' || isMisplaced) throw noSuchResource()
  const isUnnamed = verb === 'create' || verb === 'list'
  if (!resource.verbs.includes(verb) || isUnnamed !== (name === '')) throw methodNotAllowed()
  if (verb === 'create' && resource.namespaced && namespace === '') throw methodNotAllowed()
}

const serveVirtual = async (
  service: ApiService,
  resource: VirtualResource,
  verb: Verb,
  { path, user, query, request, response }: ResourceRequest,
): Promise<void> => {
  const { namespace, name } = path
  checkVirtualRoute(resource, verb, path)
  const body =
    verb === 'create'
      ? parseObjectBody(await readBytes(request), request.headers['content-type'], resource.kind)
      : undefined
  const { code, object } = service.callVirtual(resource, { user, verb, namespace, name, query, body })
  const rendering = { yaml: wantsYaml(request.headers.accept), pretty: isPretty(request, query) }
  respond(response, { code, json: JSON.stringify(object) }, rendering)
}

/** Serves a virtual resource, and rejects requests that match no resource or no verb. */
const serveOther = async (
  service: ApiService,
  incoming: ResourceRequest,
  verb: Verb | undefined,
): Promise<boolean> => {
  const { path, query, user, request } = incoming
  service.authorize(user, verb ?? '', toTarget(path, verb, query))
  const virtual = findVirtual(service, path)
  if (virtual === undefined && !isKnownGroupVersion(service, path)) return false
  const isServed =
    virtual !== undefined || service.core.directory.find(path.group, path.version, path.plural) !== undefined
  if (!isServed || path.rest !== '') throw noSuchResource()
  if (verb === undefined || virtual === undefined || request.method === 'HEAD') throw methodNotAllowed()
  await serveVirtual(service, virtual, verb, incoming)
  return true
}

const serveStored = async (
  { service, nodes, watchLimits: limits, realClock, onUnexpected }: ResourceServerOptions,
  call: ApiCall,
  { path, query, request, response, confirmUser }: ResourceRequest,
  limiter: WriteLimiter,
): Promise<void> => {
  const { core } = service
  const { namespace, name, subresource } = path
  if (subresource === 'log') {
    await serveLog(core, nodes, { namespace, name, query }, response)
    return
  }
  const form = negotiate(request.headers.accept, call.verb === 'watch')
  if (call.verb === 'watch') {
    serveWatch(service, call, response, { form, limits, realClock })
    return
  }
  const readBody = createBodyReader(call, request, limiter)
  const answer = await service.callAdmitted(call, request.url ?? '', async () => {
    await readBody()
    // Receiving the body can take a minute; the account may have been deleted meanwhile.
    if (MUTATING_VERBS.has(call.verb)) confirmUser()
  })
  const sender = { realClock, stalledMs: limits.stalledMs, onUnexpected }
  const pretty = isPretty(request, query)
  sendAnswer(response, call, answer, { form, pretty, now: core.clock.now(), sender })
}

export const createResourceServer = (options: ResourceServerOptions): ResourceServer => {
  const { service } = options
  const limiter = createWriteLimiter(options.realClock)

  return async (incoming) => {
    const { path, query, user, request, response } = incoming
    const { namespace, name, subresource } = path
    const verb = requestVerb(request.method ?? '', path, query)
    const served = service.core.directory.find(path.group, path.version, path.plural)
    if (served === undefined || verb === undefined || path.rest !== '' || request.method === 'HEAD')
      return serveOther(service, incoming, verb)
    const userAgent = request.headers['user-agent'] ?? ''
    const call: ApiCall = { user, verb, served, namespace, name, subresource, query, userAgent, warnings: [] }
    if (isStream(path.group, path.plural, subresource)) {
      await service.connect(call, request.url ?? '', () => {
        throw upgradeRequired()
      })
    }
    service.admit(call, request.url ?? '')
    if (MUTATING_VERBS.has(verb)) limiter.count(user, declaredBytes(request))
    if (served.warning !== undefined) {
      call.warnings.push(served.warning)
      // Set on the response directly, so that errors and watches carry it too.
      response.setHeader('Warning', warningHeaders(call.warnings))
    }
    await serveStored(options, call, incoming, limiter)
    return true
  }
}
