/** Everything that is not a resource: discovery, OpenAPI, version, health, metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiService } from './api-service.ts'
import { respond, respondText } from './respond.ts'
import { serveDiscovery } from './serve-discovery.ts'
import { healthPaths, serveHealth } from './serve-health.ts'
import { serveOpenApi } from './serve-open-api.ts'
import { openIdPaths, serveOpenId } from './serve-open-id.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { type GroupSurface, surfaceGroups, surfaceResources } from './surface.ts'
import { VERSION } from './version.ts'

export interface PathServer {
  /** Serves one path; false when there is nothing at it. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean
  /** Stops to follow which kinds there are. */
  close(): void
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const pathsOf = (groups: readonly GroupSurface[]): string[] =>
  [
    '/api',
    '/apis',
    ...groups.flatMap(({ name, versions }) =>
      name === ''
        ? versions.map(({ version }) => `/api/${version}`)
        : [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)],
    ),
    ...healthPaths,
    ...openIdPaths,
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/version',
  ].sort()

export const createPathServer = (
  service: ApiService,
  metrics: ServerMetrics,
  address: () => string,
): PathServer => {
  const { directory, store } = service.core
  let known: readonly GroupSurface[] | undefined
  const close = directory.watch(() => {
    known = undefined
  })
  const groups = (): readonly GroupSurface[] => {
    known ??= surfaceGroups(surfaceResources(directory, service.virtual))
    return known
  }

  const sendJson = (response: ServerResponse, value: object): true => {
    respond(response, { code: 200, json: JSON.stringify(value) })
    return true
  }

  const sendMetrics = (response: ServerResponse): true => {
    const counts = Object.fromEntries(directory.all().map(({ id }) => [id, store.count(id)]))
    respondText(response, 200, metrics.text(counts), METRICS_TYPE)
    return true
  }

  const serve: PathServer['serve'] = (path, request, response) => {
    const parts = path.split('/').filter((part) => part !== '')
    switch (parts[0]) {
      case undefined:
        return sendJson(response, { paths: pathsOf(groups()) })
      case 'api':
      case 'apis':
        return serveDiscovery(groups(), address(), parts, request, response)
      case '.well-known':
      case 'openid':
        return serveOpenId(service.tokens, address(), path, response)
      case 'openapi':
        return serveOpenApi(groups(), parts, request, response)
      case 'version':
        return parts.length === 1 && sendJson(response, VERSION)
      case 'healthz':
      case 'livez':
      case 'readyz':
        return serveHealth(parts, request, response)
      case 'metrics':
        return parts.length === 1 && sendMetrics(response)
      default:
        return false
    }
  }
  return { serve, close }
}
