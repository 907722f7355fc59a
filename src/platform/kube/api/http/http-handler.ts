/** Handles one HTTP request or upgrade: authentication, routing, errors. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#kit'
import { methodNotAllowed, noSuchResource, unauthorized } from '#platform/kube/meta'
import type { Authenticator, NodeDirectory, User } from '#platform/kube/ports'
import { rejectUpgrade, type Upgrade } from '#platform/kube/streams'
import { isPretty } from '../answer/is-pretty.ts'
import { wantsYaml } from '../answer/negotiate.ts'
import { respondError, respondText, toApiError } from '../answer/respond.ts'
import type { ApiService } from '../api-service.ts'
import { openStream } from '../pods/open-stream.ts'
import { type ApiCall, isStream } from '../request/api-call.ts'
import { parsePath } from '../request/parse-path.ts'
import { parseRequestUrl } from '../request/parse-request-url.ts'
import { UnreadBody } from '../request/read-bytes.ts'
import type { WatchLimits } from '../watch/serve-watch.ts'
import { credentialsOf } from './credentials-of.ts'
import { impersonate } from './impersonate.ts'
import type { PathServer } from './path-server.ts'
import { requestLabels } from './request-labels.ts'
import { createResourceServer } from './resource-server.ts'
import type { ServerMetrics } from './server-metrics.ts'

export interface HandlerOptions {
  service: ApiService
  authenticator: Authenticator
  nodes: NodeDirectory
  paths: PathServer
  metrics: ServerMetrics
  /** Real time, for timeouts of client connections. */
  realClock: Clock
  watchLimits: WatchLimits
  /** Whether all requests to this handler come from sandboxes of agents. */
  isFromSandbox: boolean
  /** Receives errors other than ApiError. */
  onUnexpected(error: unknown): void
}

export interface HttpHandler {
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(upgrade: Upgrade): void
  /** Whether an upgrade request is upgraded; otherwise it is answered as a plain HTTP request. */
  mayUpgrade(request: IncomingMessage): boolean
}

/** How long the rest of a rejected body is read and discarded, so that the client can read the answer. */
const LINGER_MS = 2000

/** The code that a real server counts for an upgraded connection: no status was ever set. */
const UPGRADED_CODE = 0

type Authenticate = (request: IncomingMessage) => User

const createRequestHandler = (options: HandlerOptions, authenticate: Authenticate) => {
  const { service, paths, metrics } = options
  const serveResource = createResourceServer(options)

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
      // 'close' and not 'finish': a watch ends without 'finish' when the client disconnects.
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
}

const createUpgradeHandler =
  ({ service, nodes, metrics, realClock: clock }: HandlerOptions, authenticate: Authenticate) =>
  async (upgrade: Upgrade): Promise<void> => {
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
      const stream = openStream({ core: service.core, nodes, clock }, call, upgrade)
      metrics.count(labels, stream.code === 101 ? UPGRADED_CODE : stream.code)
      return stream
    })
  }

export const createHttpHandler = (options: HandlerOptions): HttpHandler => {
  const { service, authenticator, realClock, isFromSandbox, onUnexpected } = options

  const authenticate: Authenticate = (request) => {
    const user = authenticator.authenticate({ ...credentialsOf(request), isFromSandbox })
    if (user === undefined) throw unauthorized()
    return impersonate(service, user, request)
  }

  const handle = createRequestHandler(options, authenticate)
  const handleUpgrade = createUpgradeHandler(options, authenticate)

  const reject = (request: IncomingMessage, response: ServerResponse, thrown: unknown): void => {
    const error = toApiError(thrown, onUnexpected)
    const query = parseRequestUrl(request.url ?? '/')?.query ?? new URLSearchParams()
    const rendering = { yaml: wantsYaml(request.headers.accept), pretty: isPretty(request, query) }
    if (!(error instanceof UnreadBody)) {
      respondError(response, error, {}, rendering)
      return
    }
    respondError(response, error, { Connection: 'close' }, rendering)
    request.resume()
    const lingerTimer = realClock.after(LINGER_MS, () => request.destroy())
    request.on('close', () => lingerTimer.cancel())
  }

  return {
    request(request, response) {
      handle(request, response).catch((error: unknown) => reject(request, response, error))
    },
    upgrade(upgrade) {
      handleUpgrade(upgrade).catch((error: unknown) =>
        rejectUpgrade(upgrade, toApiError(error, onUnexpected)),
      )
    },
    mayUpgrade(request) {
      const path = parseRequestUrl(request.url ?? '/')?.path
      const resource = path === undefined ? undefined : parsePath(path)
      return resource !== undefined && isStream(resource.group, resource.plural, resource.subresource)
    },
  }
}
