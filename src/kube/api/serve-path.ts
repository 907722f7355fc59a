/** Everything that is not a resource: discovery, OpenAPI, version, health, metrics. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type OpenApiGroupVersion,
  openApiDocumentText,
  openApiIndex,
  openApiV2Protobuf,
  openApiV2Text,
} from '../schema/index.ts'
import type { ApiService } from './api-service.ts'
import { aggregatedList, coreVersions, groupList, oneGroup, resourceList } from './discovery.ts'
import { respond, respondText } from './respond.ts'
import type { ServerMetrics } from './server-metrics.ts'
import { type GroupSurface, type ResourceSurface, surfaceGroups, surfaceResources } from './surface.ts'
import { VERSION } from './version.ts'

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const CHECKS = ['ping', 'log', 'etcd', 'poststarthook/start-controllers']

const openApiOf = (groups: readonly GroupSurface[]): OpenApiGroupVersion[] =>
  groups.flatMap(({ name, versions }) =>
    versions.map(({ version, resources }) => ({
      group: name,
      version,
      resources: resources.map((resource) => toOpenApi(resource)),
    })),
  )

const toOpenApi = (resource: ResourceSurface): OpenApiGroupVersion['resources'][number] => ({
  plural: resource.plural,
  singular: resource.singular,
  kind: resource.kind,
  namespaced: resource.namespaced,
  verbs: resource.verbs,
  subresources: resource.subresources.map(({ name, kind, group, version, verbs }) => ({
    name,
    kind: { group: group ?? resource.group, version: version ?? resource.version, kind },
    verbs,
  })),
  ...(resource.served?.kind.openApiSchema === undefined
    ? {}
    : { schema: resource.served.kind.openApiSchema }),
})

/** The aggregated form that a client asks for, if it does. */
const aggregatedVersion = (accept: string | undefined): 'v2' | 'v2beta1' | undefined => {
  for (const range of (accept ?? '').split(',')) {
    if (range.includes('as=APIGroupDiscoveryList')) return range.includes('v=v2beta1') ? 'v2beta1' : 'v2'
    if (range.trim() === 'application/json') return undefined
  }
  return undefined
}

/** Serves one path; false when there is nothing at it. */
export type PathServer = (path: string, request: IncomingMessage, response: ServerResponse) => boolean

export const createPathServer = (
  service: ApiService,
  metrics: ServerMetrics,
  address: () => string,
): PathServer => {
  const { directory, store } = service.core
  let groups: readonly GroupSurface[] | undefined
  directory.watch(() => {
    groups = undefined
  })
  const surface = (): readonly GroupSurface[] => {
    groups ??= surfaceGroups(surfaceResources(directory, service.virtual))
    return groups
  }

  const sendJson = (response: ServerResponse, value: object, headers: Record<string, string> = {}): true => {
    respond(response, { code: 200, json: JSON.stringify(value), headers }, { yaml: false, pretty: false })
    return true
  }

  const sendAggregated = (request: IncomingMessage, response: ServerResponse, core: boolean): boolean => {
    const version = aggregatedVersion(request.headers.accept)
    if (version === undefined) return false
    const chosen = surface().filter(({ name }) => (name === '') === core)
    const json = JSON.stringify(aggregatedList(chosen, `apidiscovery.k8s.io/${version}`))
    const tag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`
    const headers = {
      ETag: tag,
      Vary: 'Accept',
      'Content-Type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    }
    if (request.headers['if-none-match'] === tag) response.writeHead(304, headers).end()
    else respond(response, { code: 200, json, headers }, { yaml: false, pretty: false })
    return true
  }

  const serveApis = (
    parts: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean => {
    const [root, ...names] = parts
    if (names.length === 0) {
      if (sendAggregated(request, response, root === 'api')) return true
      return sendJson(response, root === 'api' ? coreVersions(address()) : groupList(surface()))
    }
    const [groupName, versionName] = root === 'api' ? ['', names[0]] : names
    const group = surface().find(({ name }) => name === groupName)
    if (group === undefined || names.length > (root === 'api' ? 1 : 2)) return false
    if (versionName === undefined) return sendJson(response, oneGroup(group))
    const found = group.versions.find(({ version }) => version === versionName)
    return found !== undefined && sendJson(response, resourceList(group.name, found.version, found.resources))
  }

  const serveOpenApi = (
    parts: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean => {
    const documents = openApiOf(surface())
    if (parts[1] === 'v2' && parts.length === 2) {
      if (request.headers.accept?.includes('protobuf') === true) {
        const bytes = openApiV2Protobuf(documents)
        response.writeHead(200, { 'Content-Type': V2_PROTOBUF, 'Content-Length': bytes.length }).end(bytes)
      } else respond(response, { code: 200, json: openApiV2Text(documents) }, { yaml: false, pretty: false })
      return true
    }
    if (parts[1] !== 'v3') return false
    if (parts.length === 2) return sendJson(response, openApiIndex(documents))
    const wanted = parts.slice(2).join('/')
    const found = documents.find(
      ({ group, version }) => wanted === (group === '' ? `api/${version}` : `apis/${group}/${version}`),
    )
    if (found === undefined) return false
    const headers = { 'Cache-Control': 'public, immutable', 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }
    respond(
      response,
      { code: 200, json: openApiDocumentText(found), headers },
      { yaml: false, pretty: false },
    )
    return true
  }

  const serveHealth = (
    parts: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean => {
    if (parts.length > 1 && !CHECKS.includes(parts.slice(1).join('/'))) return false
    const verbose = request.url?.includes('verbose') === true && parts.length === 1
    const lines = CHECKS.map((check) => `[+]${check} ok\n`).join('')
    respondText(response, 200, verbose ? `${lines}${parts[0]} check passed\n` : 'ok')
    return true
  }

  const paths = (): string[] =>
    [
      '/api',
      '/apis',
      ...surface().flatMap(({ name, versions }) =>
        name === ''
          ? versions.map(({ version }) => `/api/${version}`)
          : [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)],
      ),
      ...['healthz', 'livez', 'readyz'].flatMap((root) => [
        `/${root}`,
        ...CHECKS.map((check) => `/${root}/${check}`),
      ]),
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      '/version',
    ].sort()

  return (path, request, response) => {
    const parts = path.split('/').filter((part) => part !== '')
    switch (parts[0]) {
      case undefined:
        return sendJson(response, { paths: paths() })
      case 'api':
      case 'apis':
        return serveApis(parts, request, response)
      case 'openapi':
        return serveOpenApi(parts, request, response)
      case 'version':
        return parts.length === 1 && sendJson(response, VERSION)
      case 'healthz':
      case 'livez':
      case 'readyz':
        return serveHealth(parts, request, response)
      case 'metrics': {
        if (parts.length > 1) return false
        const counts = Object.fromEntries(directory.all().map((kind) => [kind.id, store.count(kind.id)]))
        respondText(response, 200, metrics.text(counts), 'text/plain; version=0.0.4; charset=utf-8')
        return true
      }
      default:
        return false
    }
  }
}
