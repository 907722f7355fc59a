/** Serves OpenAPI v2 and v3 documents over HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type OpenApiGroupVersion,
  openApiDocumentText,
  openApiIndex,
  openApiV2Protobuf,
  openApiV2Text,
} from '#platform/kube/schema'
import { respond } from '../answer/respond.ts'
import type { GroupSurface, ResourceSurface } from './surface.ts'

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** The URL of a document contains its hash, so it can be cached forever. */
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
    : {
        schema: resource.served.kind.openApiSchema,
        selectableFields: Object.keys(resource.served.fieldNames ?? {}),
      }),
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

/** Returns false if the path does not exist. */
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
  const requested = rest.join('/')
  const found = documents.find(
    (candidate) =>
      requested ===
      (candidate.group === '' ? `api/${candidate.version}` : `apis/${candidate.group}/${candidate.version}`),
  )
  if (found === undefined) return false
  respond(response, { code: 200, json: openApiDocumentText(found), headers: IMMUTABLE })
  return true
}
