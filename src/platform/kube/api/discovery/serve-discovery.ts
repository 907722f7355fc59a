/** Serves discovery over HTTP: groups, versions and resources, legacy or aggregated. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { respond } from '../answer/respond.ts'
import {
  aggregatedList,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
} from './discovery-documents.ts'
import type { GroupSurface } from './surface.ts'

export interface DiscoverySource {
  groups: readonly GroupSurface[]
  /** Host and port of the server. */
  address: string
}

/** The version of aggregated discovery that a client requests, if any. */
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

/** The document at `/api`, `/apis` or below; undefined if there is none. */
const documentAt = (
  { groups, address }: DiscoverySource,
  [root, ...names]: readonly string[],
): object | undefined => {
  const isCore = root === 'api'
  if (names.length === 0) return isCore ? coreVersions(address) : groupList(groups)
  if (names.length > (isCore ? 1 : 2)) return undefined
  const [groupName, versionName] = isCore ? ['', names[0]] : names
  const group = groups.find(({ name }) => name === groupName)
  if (group === undefined) return undefined
  if (versionName === undefined) return groupDocument(group)
  const found = group.versions.find(({ version }) => version === versionName)
  return found && resourceList(group.name, found.version, found.resources)
}

/** Returns false if the path does not exist. */
export const serveDiscovery = (
  source: DiscoverySource,
  parts: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  const version = parts.length === 1 ? aggregatedVersion(request.headers.accept) : undefined
  if (version !== undefined) {
    const isCore = parts[0] === 'api'
    const chosen = source.groups.filter(({ name }) => (name === '') === isCore)
    serveAggregated(chosen, version, request, response)
    return true
  }
  const document = documentAt(source, parts)
  if (document !== undefined) respond(response, { code: 200, json: JSON.stringify(document) })
  return document !== undefined
}
