/** Serves the paths that are not resources: discovery, OpenAPI, OpenID, version, health, metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { respond, respondText } from '../answer/respond.ts'
import type { ApiService } from '../api-service.ts'
import { serveDiscovery } from '../discovery/serve-discovery.ts'
import { serveOpenApi } from '../discovery/serve-open-api.ts'
import { openIdPaths, serveOpenId } from '../discovery/serve-open-id.ts'
import { type GroupSurface, surfaceGroups, surfaceResources } from '../discovery/surface.ts'
import { VERSION } from '../discovery/version.ts'
import { healthPaths, serveHealth } from './serve-health.ts'
import type { ServerMetrics } from './server-metrics.ts'

export interface PathServer {
  /** Returns false if the path does not exist. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean
  /** Stops watching the kind directory. */
  close(): void
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const listPaths = (groups: readonly GroupSurface[]): string[] =>
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
  let cachedGroups: readonly GroupSurface[] | undefined
  const close = directory.watch(() => {
    cachedGroups = undefined
  })
  const getGroups = (): readonly GroupSurface[] => {
    cachedGroups ??= surfaceGroups(surfaceResources(directory, service.virtual))
    return cachedGroups
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
        return sendJson(response, { paths: listPaths(getGroups()) })
      case 'api':
      case 'apis':
        return serveDiscovery({ groups: getGroups(), address: address() }, parts, request, response)
      case '.well-known':
      case 'openid':
        return serveOpenId(service.tokens, address(), path, response)
      case 'openapi':
        return serveOpenApi(getGroups(), parts, request, response)
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
