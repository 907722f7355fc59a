/** One HTTP request, from its bytes to its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../kit/index.ts'
import { methodNotAllowed, noSuchResource, unauthorized } from '../meta/index.ts'
import type { Authenticator, NodeDirectory, User } from '../ports/index.ts'
import { refuseUpgrade, type Upgrade, upgradeRequired } from '../streams/index.ts'
import { type ApiCall, isTrue, type Verb } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { listJson, metadataJson, metadataListJson, objectJson } from './encode.ts'
import { type Form, negotiate } from './negotiate.ts'
import { parsePath, type ResourcePath } from './parse-path.ts'
import type { Answer } from './perform.ts'
import { parseObjectBody, parsePatchBody, patchTypeOf, readBytes } from './read-body.ts'
import { respond, respondError, respondText, toApiError } from './respond.ts'
import { serveLog } from './serve-log.ts'
import type { PathServer } from './serve-path.ts'
import { serveUpgrade } from './serve-upgrade.ts'
import { serveWatch } from './serve-watch.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { listTable, objectTable, readInclude } from './table.ts'
import type { VirtualResource } from './virtual-resource.ts'

export interface HandlerOptions {
  service: ApiService
  authenticator: Authenticator
  nodes: NodeDirectory
  paths: PathServer
  metrics: ServerMetrics
  /** The time of the world outside, for the connections of clients. */
  realClock: Clock
  /** Told of errors that nobody foresaw. */
  onUnexpected(error: unknown): void
}

const STREAMS = new Set(['exec', 'attach', 'portforward'])

const verbOf = (method: string, path: ResourcePath, query: URLSearchParams): Verb => {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (path.watch || isTrue(query.get('watch'))) return 'watch'
      return path.name === '' ? 'list' : 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return path.name === '' ? 'deletecollection' : 'delete'
    default:
      throw methodNotAllowed()
  }
}

const credentialsOf = (request: IncomingMessage): Parameters<Authenticator['authenticate']>[0] => {
  const header = request.headers.authorization
  const bearerToken = header?.startsWith('Bearer ') ? header.slice(7).trim() : undefined
  const socket = request.socket as Partial<TLSSocket>
  const subject = socket.authorized === true ? socket.getPeerCertificate?.().subject : undefined
  const organizations = subject?.O === undefined ? [] : [subject.O].flat()
  return {
    ...(bearerToken ? { bearerToken } : {}),
    ...(subject?.CN === undefined
      ? {}
      : { certificate: { commonName: [subject.CN].flat()[0]!, organizations } }),
  }
}

const splitUrl = (url: string): { path: string; query: URLSearchParams } => {
  const mark = url.indexOf('?')
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) }
}

export interface HttpHandler {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(upgrade: Upgrade): void
}

export const createHttpHandler = (options: HandlerOptions): HttpHandler => {
  const { service, authenticator, nodes, paths, metrics, realClock, onUnexpected } = options
  const { core } = service

  const authenticate = (request: IncomingMessage): User => {
    const user = authenticator.authenticate(credentialsOf(request))
    if (user === undefined) throw unauthorized()
    return user
  }

  const findVirtual = ({ group, version, plural }: ResourcePath): VirtualResource | undefined =>
    service.virtual.find((one) => one.group === group && one.version === version && one.plural === plural)

  const isKnownGroupVersion = ({ group, version }: ResourcePath): boolean =>
    core.directory.hasGroupVersion(group, version) ||
    service.virtual.some((one) => one.group === group && one.version === version)

  const send = (
    response: ServerResponse,
    call: ApiCall,
    answer: Answer,
    form: Form,
    pretty: boolean,
  ): void => {
    const { served, warnings } = call
    const json = ((): string => {
      if ('status' in answer) return JSON.stringify(answer.status)
      if (form.as === 'metadata')
        return 'list' in answer
          ? metadataListJson(answer.list, form.apiVersion)
          : metadataJson(answer.object, form.apiVersion)
      const isOwn = 'list' in answer || answer.object.kind === served.kind.kind
      if (form.as === 'table' && isOwn) {
        const table = { apiVersion: form.apiVersion, include: readInclude(call.query), now: core.clock.now() }
        return 'list' in answer
          ? listTable(served, answer.list, table)
          : objectTable(served, answer.object, table)
      }
      return 'list' in answer ? listJson(served, answer.list) : objectJson(answer.object)
    })()
    respond(
      response,
      { code: answer.code, json, warnings },
      { yaml: form.as === 'object' && form.yaml, pretty },
    )
  }

  const serveVirtual = async (
    resource: VirtualResource,
    path: ResourcePath,
    verb: Verb,
    user: User,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (path.subresource !== '') throw noSuchResource()
    if (!resource.verbs.includes(verb)) throw methodNotAllowed()
    const body =
      verb === 'create'
        ? parseObjectBody(await readBytes(request), request.headers['content-type'], resource.kind)
        : undefined
    const { namespace, name } = path
    const { code, object } = service.callVirtual(resource, { user, verb, namespace, name, query, body })
    respond(
      response,
      { code, json: JSON.stringify(object) },
      { yaml: false, pretty: isPretty(request, query) },
    )
  }

  const serveResource = async (
    path: ResourcePath,
    query: URLSearchParams,
    user: User,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> => {
    const verb = verbOf(request.method ?? 'GET', path, query)
    const virtual = findVirtual(path)
    if (virtual !== undefined) {
      await serveVirtual(virtual, path, verb, user, query, request, response)
      return true
    }
    const served = core.directory.find(path.group, path.version, path.plural)
    if (served === undefined) {
      if (!isKnownGroupVersion(path)) return false
      throw noSuchResource()
    }
    if (served.kind.namespaced ? path.namespace === '' && path.name !== '' : path.namespace !== '')
      throw noSuchResource()
    const { namespace, name, subresource } = path
    const target = {
      group: path.group,
      version: path.version,
      plural: path.plural,
      subresource,
      namespace,
      name,
    }
    if (served.kind.id === 'pods' && STREAMS.has(subresource)) {
      service.authorize(user, verb === 'get' ? 'get' : 'create', target)
      throw upgradeRequired()
    }
    if (served.kind.id === 'pods' && subresource === 'log' && verb === 'get') {
      service.authorize(user, 'get', target)
      await serveLog(core, nodes, { namespace, name, query }, response)
      return true
    }
    const form = negotiate(request.headers.accept)
    const call: ApiCall = {
      user,
      verb,
      served,
      namespace,
      name,
      subresource,
      query,
      userAgent: request.headers['user-agent'] ?? '',
      warnings: [],
    }
    if (verb === 'watch') {
      serveWatch(service, call, form, response)
      return true
    }
    const contentType = request.headers['content-type']
    if (verb === 'patch') {
      call.patchType = patchTypeOf(contentType)
      call.body = parsePatchBody(await readBytes(request), call.patchType)
    } else if (verb === 'create' || verb === 'update') {
      call.body = parseObjectBody(await readBytes(request), contentType, served.kind.kind)
    } else if (verb === 'delete' || verb === 'deletecollection') {
      const bytes = await readBytes(request)
      if (bytes.length > 0) call.body = parseObjectBody(bytes, contentType, 'DeleteOptions')
    }
    send(response, call, service.call(call, request.url ?? ''), form, isPretty(request, query))
    return true
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, query } = splitUrl(request.url ?? '/')
    const user = authenticate(request)
    const resource = parsePath(path)
    if (resource !== undefined) {
      response.on('finish', () => metrics.count(request.method ?? '', resource.plural, response.statusCode))
      if (await serveResource(resource, query, user, request, response)) return
    } else {
      service.authorizePath(user, (request.method ?? 'GET').toLowerCase(), path)
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed()
      if (paths(path, request, response)) return
    }
    respondText(response, 404, '404 page not found\n')
  }

  const handleUpgrade = async (upgrade: Upgrade): Promise<void> => {
    const { path, query } = splitUrl(upgrade.request.url ?? '/')
    const user = authenticate(upgrade.request)
    const resource = parsePath(path)
    if (resource?.plural !== 'pods' || !STREAMS.has(resource.subresource)) throw noSuchResource()
    const { namespace, name, subresource } = resource
    const target = { group: '', version: 'v1', plural: 'pods', subresource, namespace, name }
    service.authorize(user, upgrade.request.method === 'GET' ? 'get' : 'create', target)
    await serveUpgrade(core, nodes, realClock, { namespace, name, subresource, query }, upgrade)
  }

  return {
    request(request, response) {
      handle(request, response).catch((error: unknown) =>
        respondError(response, toApiError(error, onUnexpected)),
      )
    },
    upgrade(upgrade) {
      handleUpgrade(upgrade).catch((error: unknown) =>
        refuseUpgrade(upgrade, toApiError(error, onUnexpected)),
      )
    },
  }
}

/** People who ask with a browser or curl get line breaks. */
const isPretty = (request: IncomingMessage, query: URLSearchParams): boolean => {
  const asked = query.get('pretty')
  if (asked !== null) return isTrue(asked)
  return /^(curl|Wget|Mozilla)\//.test(request.headers['user-agent'] ?? '')
}
