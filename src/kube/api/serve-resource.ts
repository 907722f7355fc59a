/** One HTTP request for a resource: who may, what is there, the body, the verb, the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../kit/index.ts'
import { methodNotAllowed, noSuchResource } from '../meta/index.ts'
import type { NodeDirectory, User } from '../ports/index.ts'
import { upgradeRequired } from '../streams/index.ts'
import { type ApiCall, isStream, type Verb } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { isPretty } from './is-pretty.ts'
import { negotiate, wantsYaml } from './negotiate.ts'
import { parseObjectBody, parsePatchBody, patchTypeOf } from './parse-body.ts'
import type { ResourcePath } from './parse-path.ts'
import { announcedBytes, readBytes } from './read-bytes.ts'
import { requestVerb } from './request-verb.ts'
import { respond, warningHeaders } from './respond.ts'
import { sendAnswer } from './send-answer.ts'
import { serveLog } from './serve-log.ts'
import { serveWatch, type WatchLimits } from './serve-watch.ts'
import { toTarget } from './target.ts'
import type { VirtualResource } from './virtual-resource.ts'
import { createWritePace } from './write-pace.ts'

export interface ResourceRequest {
  path: ResourcePath
  query: URLSearchParams
  user: User
  request: IncomingMessage
  response: ServerResponse
  /** Throws where the credentials are good for nothing any more. */
  confirmUser(): void
}

export interface ResourceServerOptions {
  service: ApiService
  nodes: NodeDirectory
  /** The time of the world outside, for the connections of clients. */
  realClock: Clock
  watchLimits: WatchLimits
  /** Told of errors that nobody foresaw. */
  onUnexpected(error: unknown): void
}

/** Gives false where not even the group is served. */
export type ResourceServer = (asked: ResourceRequest) => Promise<boolean>

const WRITES: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** Reads the body that a verb needs into the call. */
const bodyReader = (call: ApiCall, request: IncomingMessage) => async (): Promise<void> => {
  const contentType = request.headers['content-type']
  const kind = call.served.kind.kind
  if (call.verb === 'patch') {
    call.patchType = patchTypeOf(contentType)
    call.body = parsePatchBody(await readBytes(request), call.patchType)
  } else if (call.verb === 'create' || call.verb === 'update') {
    call.body = parseObjectBody(await readBytes(request), contentType, kind)
  } else if (call.verb === 'delete' || call.verb === 'deletecollection') {
    const bytes = await readBytes(request)
    if (bytes.length > 0) call.body = parseObjectBody(bytes, contentType, 'DeleteOptions')
  }
}

export const createResourceServer = (options: ResourceServerOptions): ResourceServer => {
  const { service, nodes } = options
  const { core } = service
  const pace = createWritePace(options.realClock)

  const findVirtual = ({ group, version, plural }: ResourcePath): VirtualResource | undefined =>
    service.virtual.find((one) => one.group === group && one.version === version && one.plural === plural)

  const isKnownGroupVersion = ({ group, version }: ResourcePath): boolean =>
    core.directory.hasGroupVersion(group, version) ||
    service.virtual.some((one) => one.group === group && one.version === version)

  const serveVirtual = async (
    resource: VirtualResource,
    verb: Verb,
    { path, user, query, request, response }: ResourceRequest,
  ): Promise<void> => {
    const { namespace, name, subresource } = path
    const misplaced = resource.namespaced ? namespace === '' && name !== '' : namespace !== ''
    if (subresource !== '' || misplaced) throw noSuchResource()
    const unnamed = verb === 'create' || verb === 'list'
    if (!resource.verbs.includes(verb) || unnamed !== (name === '')) throw methodNotAllowed()
    if (verb === 'create' && resource.namespaced && namespace === '') throw methodNotAllowed()
    const body =
      verb === 'create'
        ? parseObjectBody(await readBytes(request), request.headers['content-type'], resource.kind)
        : undefined
    const { code, object } = service.callVirtual(resource, { user, verb, namespace, name, query, body })
    const rendering = { yaml: wantsYaml(request.headers.accept), pretty: isPretty(request, query) }
    respond(response, { code, json: JSON.stringify(object) }, rendering)
  }

  const serveStored = async (call: ApiCall, asked: ResourceRequest) => {
    const { path, query, request, response } = asked
    const { namespace, name, subresource } = path
    if (subresource === 'log') {
      await serveLog(core, nodes, { namespace, name, query }, response)
      return
    }
    const form = negotiate(request.headers.accept, call.verb === 'watch')
    const { watchLimits: limits, realClock, onUnexpected } = options
    if (call.verb === 'watch') {
      serveWatch(service, call, form, response, { limits, realClock })
      return
    }
    const readBody = bodyReader(call, request)
    const answer = await service.callAdmitted(call, request.url ?? '', async () => {
      await readBody()
      // A body can be on its way for a minute, and its sender's account be deleted meanwhile.
      if (WRITES.has(call.verb)) asked.confirmUser()
    })
    const sender = { realClock, stalledMs: limits.stalledMs, onUnexpected }
    const pretty = isPretty(request, query)
    sendAnswer(response, call, answer, { form, pretty, now: core.clock.now(), sender })
  }

  /** What is no stored resource, or asked for in no way that one could be. */
  const serveOther = async (asked: ResourceRequest, verb: Verb | undefined): Promise<boolean> => {
    const { path, query, user, request } = asked
    service.authorize(user, verb ?? '', toTarget(path, verb, query))
    const virtual = findVirtual(path)
    if (virtual === undefined && !isKnownGroupVersion(path)) return false
    const isServed = virtual !== undefined || core.directory.find(path.group, path.version, path.plural)
    if (!isServed || path.rest !== '') throw noSuchResource()
    if (verb === undefined || virtual === undefined || request.method === 'HEAD') throw methodNotAllowed()
    await serveVirtual(virtual, verb, asked)
    return true
  }

  return async (asked) => {
    const { path, query, user, request, response } = asked
    const { namespace, name, subresource } = path
    const verb = requestVerb(request.method ?? '', path, query)
    const served = core.directory.find(path.group, path.version, path.plural)
    if (served === undefined || verb === undefined || path.rest !== '' || request.method === 'HEAD')
      return serveOther(asked, verb)
    const userAgent = request.headers['user-agent'] ?? ''
    const call: ApiCall = { user, verb, served, namespace, name, subresource, query, userAgent, warnings: [] }
    if (isStream(path.group, path.plural, subresource)) {
      await service.connect(call, request.url ?? '', () => {
        throw upgradeRequired()
      })
    }
    service.admit(call, request.url ?? '')
    if (WRITES.has(verb)) pace.count(user, announcedBytes(request))
    if (served.warning !== undefined) {
      call.warnings.push(served.warning)
      // Refusals and watches carry it too.
      response.setHeader('Warning', warningHeaders(call.warnings))
    }
    await serveStored(call, asked)
    return true
  }
}
