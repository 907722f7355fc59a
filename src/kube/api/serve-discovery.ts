/** Discovery over HTTP: which groups, versions and resources there are, piece by piece or aggregated. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { aggregatedList, coreVersions, groupList, oneGroup, resourceList } from './discovery.ts'
import { respond } from './respond.ts'
import type { GroupSurface } from './surface.ts'

/** The aggregated form that a client asks for, if it does. */
const aggregatedVersion = (accept: string | undefined): 'v2' | 'v2beta1' | undefined => {
  for (const range of (accept ?? '').split(',')) {
    if (range.includes('as=APIGroupDiscoveryList')) return range.includes('v=v2beta1') ? 'v2beta1' : 'v2'
    if (range.trim() === 'application/json') return undefined
  }
  return undefined
}

const serveAggregated = (
  groups: readonly GroupSurface[],
  version: 'v2' | 'v2beta1',
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const json = JSON.stringify(aggregatedList(groups, `apidiscovery.k8s.io/${version}`))
  const tag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`
  const headers = {
    ETag: tag,
    Vary: 'Accept',
    'Content-Type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  }
  if (request.headers['if-none-match'] === tag) response.writeHead(304, headers).end()
  else respond(response, { code: 200, json, headers })
}

/** What is at `/api`, `/apis` and below; undefined where nothing is. */
const documentAt = (
  groups: readonly GroupSurface[],
  [root, ...names]: readonly string[],
  address: string,
): object | undefined => {
  const isCore = root === 'api'
  if (names.length === 0) return isCore ? coreVersions(address) : groupList(groups)
  if (names.length > (isCore ? 1 : 2)) return undefined
  const [groupName, versionName] = isCore ? ['', names[0]] : names
  const group = groups.find(({ name }) => name === groupName)
  if (group === undefined) return undefined
  if (versionName === undefined) return oneGroup(group)
  const found = group.versions.find(({ version }) => version === versionName)
  return found && resourceList(group.name, found.version, found.resources)
}

/** `address` is where the server can be reached. False when there is nothing at the path. */
export const serveDiscovery = (
  groups: readonly GroupSurface[],
  address: string,
  parts: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  const version = parts.length === 1 ? aggregatedVersion(request.headers.accept) : undefined
  if (version !== undefined) {
    const isCore = parts[0] === 'api'
    const chosen = groups.filter(({ name }) => (name === '') === isCore)
    serveAggregated(chosen, version, request, response)
    return true
  }
  const document = documentAt(groups, parts, address)
  if (document !== undefined) respond(response, { code: 200, json: JSON.stringify(document) })
  return document !== undefined
}
