/** OpenAPI documents over HTTP, in both versions. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type OpenApiGroupVersion,
  openApiDocumentText,
  openApiIndex,
  openApiV2Protobuf,
  openApiV2Text,
} from '../schema/index.ts'
import { respond } from './respond.ts'
import type { GroupSurface, ResourceSurface } from './surface.ts'

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** Each document has an address of its own content, so it may be kept for ever. */
const IMMUTABLE = { 'Cache-Control': 'public, immutable', 'Last-Modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }

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

const openApiOf = (groups: readonly GroupSurface[]): OpenApiGroupVersion[] =>
  groups.flatMap(({ name, versions }) =>
    versions.map(({ version, resources }) => ({ group: name, version, resources: resources.map(toOpenApi) })),
  )

const serveV2 = (
  documents: readonly OpenApiGroupVersion[],
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  if (request.headers.accept?.includes('protobuf') === true) {
    const bytes = openApiV2Protobuf(documents)
    response.writeHead(200, { 'Content-Type': V2_PROTOBUF, 'Content-Length': bytes.length }).end(bytes)
  } else respond(response, { code: 200, json: openApiV2Text(documents) })
}

/** False when there is nothing at the path. */
export const serveOpenApi = (
  groups: readonly GroupSurface[],
  [, version, ...rest]: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  const documents = openApiOf(groups)
  if (version === 'v2' && rest.length === 0) {
    serveV2(documents, request, response)
    return true
  }
  if (version !== 'v3') return false
  if (rest.length === 0) {
    respond(response, { code: 200, json: JSON.stringify(openApiIndex(documents)) })
    return true
  }
  const wanted = rest.join('/')
  const found = documents.find(
    (one) => wanted === (one.group === '' ? `api/${one.version}` : `apis/${one.group}/${one.version}`),
  )
  if (found === undefined) return false
  respond(response, { code: 200, json: openApiDocumentText(found), headers: IMMUTABLE })
  return true
}
