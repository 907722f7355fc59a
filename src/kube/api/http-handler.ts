/** One HTTP request, from its bytes to its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../kit/index.ts'
import { methodNotAllowed, noSuchResource, unauthorized } from '../meta/index.ts'
import type { Authenticator, NodeDirectory, User } from '../ports/index.ts'
import { refuseUpgrade, type Upgrade } from '../streams/index.ts'
import { type ApiCall, isStream } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { credentialsOf } from './credentials-of.ts'
import { impersonate } from './impersonate.ts'
import { isPretty } from './is-pretty.ts'
import { wantsYaml } from './negotiate.ts'
import { openStream } from './open-stream.ts'
import { parsePath } from './parse-path.ts'
import { parseRequestUrl } from './parse-request-url.ts'
import { BodyTooLarge } from './read-bytes.ts'
import { requestLabels } from './request-labels.ts'
import { respondError, respondText, toApiError } from './respond.ts'
import type { PathServer } from './serve-path.ts'
import { createResourceServer } from './serve-resource.ts'
import type { WatchLimits } from './serve-watch.ts'
import type { ServerMetrics } from './server-metrics.ts'

export interface HandlerOptions {
  service: ApiService
  authenticator: Authenticator
  nodes: NodeDirectory
  paths: PathServer
  metrics: ServerMetrics
  /** The time of the world outside, for the connections of clients. */
  realClock: Clock
  watchLimits: WatchLimits
  /** Told of errors that nobody foresaw. */
  onUnexpected(error: unknown): void
}

export interface HttpHandler {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(upgrade: Upgrade): void
  /** Whether a request that offers to change the protocol is taken at its word; others are answered as they are. */
  mayUpgrade(request: IncomingMessage): boolean
}

/** How long the rest of a refused body is read and dropped, so that its sender gets to see why, in milliseconds. */
const LINGER = 2000

/** What a real server counts for a connection whose protocol has changed: no status was ever set. */
const TAKEN_OVER = 0

export const createHttpHandler = (options: HandlerOptions): HttpHandler => {
  const { service, authenticator, nodes, paths, metrics, realClock, onUnexpected } = options
  const serveResource = createResourceServer(options)

  const authenticate = (request: IncomingMessage): User => {
    const user = authenticator.authenticate(credentialsOf(request))
    if (user === undefined) throw unauthorized()
    return impersonate(service, user, request)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const user = authenticate(request)
    const url = parseRequestUrl(request.url ?? '/')
    if (url === undefined) {
      respondText(response, 400, '400 Bad Request')
      return
    }
    const { path, query } = url
    const method = request.method ?? ''
    const resource = parsePath(path)
    if (resource !== undefined) {
      const labels = requestLabels(service, request, resource, query)
      // Watches end when the client goes, without being finished.
      response.on('close', () => response.headersSent && metrics.count(labels, response.statusCode))
      const confirmUser = (): void => void authenticate(request)
      if (await serveResource({ path: resource, query, user, request, response, confirmUser })) return
    } else {
      service.authorizePath(user, method.toLowerCase(), path)
      if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
      if (paths.serve(path, request, response)) return
    }
    respondText(response, 404, '404 page not found\n')
  }

  const handleUpgrade = async (upgrade: Upgrade): Promise<void> => {
    const user = authenticate(upgrade.request)
    const url = parseRequestUrl(upgrade.request.url ?? '/')
    const resource = url === undefined ? undefined : parsePath(url.path)
    if (url === undefined || resource === undefined) throw noSuchResource()
    const { namespace, name, subresource } = resource
    const served = service.core.directory.find(resource.group, resource.version, resource.plural)
    if (served === undefined || resource.rest !== '') throw noSuchResource()
    const { method, headers, url: requestUri = '' } = upgrade.request
    const verb = method === 'GET' ? 'get' : 'create'
    const userAgent = headers['user-agent'] ?? ''
    const { query } = url
    const call: ApiCall = { user, verb, served, namespace, name, subresource, query, userAgent, warnings: [] }
    const labels = requestLabels(service, upgrade.request, resource, query)
    await service.connect(call, requestUri, () => {
      const stream = openStream(service.core, nodes, realClock, call, upgrade)
      metrics.count(labels, stream.code === 101 ? TAKEN_OVER : stream.code)
      return stream
    })
  }

  const refuse = (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    const error = toApiError(thrown, onUnexpected)
    const query = parseRequestUrl(request.url ?? '/')?.query ?? new URLSearchParams()
    const rendering = { yaml: wantsYaml(request.headers.accept), pretty: isPretty(request, query) }
    if (!(error instanceof BodyTooLarge)) {
      respondError(response, error, {}, rendering)
      return
    }
    respondError(response, error, { Connection: 'close' }, rendering)
    request.resume()
    const lingering = realClock.after(LINGER, () => request.destroy())
    request.on('close', () => lingering.cancel())
  }

  return {
    request(request, response) {
      handle(request, response).catch((error: unknown) => refuse(request, response, error))
    },
    upgrade(upgrade) {
      handleUpgrade(upgrade).catch((error: unknown) =>
        refuseUpgrade(upgrade, toApiError(error, onUnexpected)),
      )
    },
    mayUpgrade(request) {
      const path = parseRequestUrl(request.url ?? '/')?.path
      const resource = path === undefined ? undefined : parsePath(path)
      return resource !== undefined && isStream(resource.group, resource.plural, resource.subresource)
    },
  }
}
