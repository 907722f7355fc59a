/** OpenAPI version 2: one document for all resources. kubectl up to 1.28 and Helm read it. */
import { defined } from '#kit'
import { customDefinitions } from './openapi-custom.ts'
import { type OpenApiPath, type Operation, openApiPaths, tagOf } from './openapi-operations.ts'
import type { Parameter } from './openapi-parameters.ts'
import { openApiPathItem } from './openapi-path-item.ts'
import { bodyName, referencedDefinitions, responseName, successCodes } from './openapi-references.ts'
import { hashOf, INFO, type OpenApiGroupVersion } from './openapi-resource.ts'
import { type Json, openApiSchemas, refTo } from './openapi-schema.ts'
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts'

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const WATCH_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

const responseTypes = ({ response, action }: Operation): string[] => {
  if (response === 'text') return action === 'connect' ? ['*/*'] : ['text/plain', ...OBJECT_TYPES]
  return response === 'list' || response === 'watch' ? [...OBJECT_TYPES, ...WATCH_TYPES] : OBJECT_TYPES
}

/** Clients derive merge keys from the document, so custom resources must not list strategic merge. */
const requestTypes = ({ body, response }: Operation, custom: boolean): string[] => {
  if (body === 'patch')
    return custom ? PATCH_TYPES.filter((type) => !type.includes('strategic')) : PATCH_TYPES
  return response === 'resources' ? OBJECT_TYPES : ['*/*']
}

const writeParameter = ({ name, in: location, type }: Parameter): Json => ({
  uniqueItems: true,
  type,
  name,
  in: location,
  ...(location === 'path' ? { required: true } : {}),
})

const bodyParameter = (operation: Operation): Json[] => {
  const name = bodyName(operation)
  if (name === undefined) return []
  const required = operation.body === 'delete-options' ? {} : { required: true }
  return [{ name: 'body', in: 'body', ...required, schema: refTo(name, 'v2') }]
}

const writeOperation = (
  operation: Operation,
  tag: string,
  custom: boolean,
  shared: ReadonlySet<string>,
): Json => {
  const { action, id, kind, parameters } = operation
  const ownParameters = parameters.filter(({ name }) => !shared.has(name)).map(writeParameter)
  const responseType = responseName(operation)
  const schema = responseType === undefined ? { type: 'string' } : refTo(responseType, 'v2')
  const allParameters = [...bodyParameter(operation), ...ownParameters]
  return {
    consumes: requestTypes(operation, custom),
    produces: responseTypes(operation),
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(allParameters.length === 0 ? {} : { parameters: allParameters }),
    responses: {
      ...Object.fromEntries(
        successCodes(operation).map(([code, description]) => [code, { description, schema }]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...defined({ 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind }),
  }
}

const writePath = (path: OpenApiPath, tag: string, custom: boolean): Json =>
  openApiPathItem(path, {
    parameter: writeParameter,
    operation: (operation, shared) => writeOperation(operation, tag, custom, shared),
  })

/** Builds the document for all group versions. */
const openApiV2Document = (groupVersions: readonly OpenApiGroupVersion[]): Json => {
  const paths: Json = {}
  const custom: Json = {}
  const roots = new Set<string>()
  for (const groupVersion of groupVersions) {
    const tag = tagOf(groupVersion)
    const groupPaths = openApiPaths(groupVersion)
    const definitions = customDefinitions(groupVersion, 'v2')
    const isCustom = Object.keys(definitions).length > 0
    Object.assign(custom, definitions)
    for (const path of groupPaths) paths[path.path] = writePath(path, tag, isCustom)
    for (const short of referencedDefinitions(groupPaths, isCustom)) roots.add(short)
  }
  return {
    swagger: '2.0',
    info: INFO,
    paths,
    definitions: { ...openApiSchemas(roots, 'v2'), ...custom },
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  }
}

let latest: { hash: string; text?: string; bytes?: Uint8Array } = { hash: '' }

const latestFor = (groupVersions: readonly OpenApiGroupVersion[]): typeof latest => {
  const hash = hashOf(groupVersions)
  if (latest.hash !== hash) latest = { hash }
  return latest
}

/** Returns the document as JSON text. It is cached while the resources are unchanged. */
export const openApiV2Text = (groupVersions: readonly OpenApiGroupVersion[]): string => {
  const entry = latestFor(groupVersions)
  entry.text ??= JSON.stringify(openApiV2Document(groupVersions))
  return entry.text
}

/** Returns the document as protobuf, which kubectl requests. It is cached in the same way. */
export const openApiV2Protobuf = (groupVersions: readonly OpenApiGroupVersion[]): Uint8Array => {
  const entry = latestFor(groupVersions)
  entry.bytes ??= encodeOpenApiV2(openApiV2Document(groupVersions))
  return entry.bytes
}
