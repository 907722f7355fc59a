/** OpenAPI version 3: an index of group versions, and one document per group version. */
import { defined } from '#kit'
import { customDefinitions } from './openapi-custom.ts'
import { type OpenApiPath, type Operation, openApiPaths, tagOf } from './openapi-operations.ts'
import type { Parameter } from './openapi-parameters.ts'
import { openApiPathItem } from './openapi-path-item.ts'
import { bodyName, referencedDefinitions, responseName, successCodes } from './openapi-references.ts'
import { hashOf, INFO, type OpenApiGroupVersion, pathOf } from './openapi-resource.ts'
import { type Json, openApiSchemas, refTo } from './openapi-schema.ts'

const OBJECT_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']
const WATCH_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]

const contentOf = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]))

const responseTypes = ({ response, action }: Operation): string[] => {
  if (response === 'text') return action === 'connect' ? ['*/*'] : [...OBJECT_TYPES, 'text/plain']
  return response === 'list' || response === 'watch' ? [...OBJECT_TYPES, ...WATCH_TYPES] : OBJECT_TYPES
}

const writeParameter = ({ name, in: location, type }: Parameter): Json => ({
  name,
  in: location,
  ...(location === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
})

const writeOperation = (
  operation: Operation,
  tag: string,
  custom: boolean,
  shared: ReadonlySet<string>,
): Json => {
  const { action, id, kind, parameters, body } = operation
  const ownParameters = parameters.filter(({ name }) => !shared.has(name))
  const requestType = bodyName(operation)
  const responseType = responseName(operation)
  const schema = responseType === undefined ? { type: 'string' } : refTo(responseType, 'v3')
  const bodyTypes = body === 'patch' ? (custom ? PATCH_TYPES.slice(0, 3) : PATCH_TYPES) : ['*/*']
  return {
    tags: [tag],
    operationId: id,
    ...(ownParameters.length === 0 ? {} : { parameters: ownParameters.map(writeParameter) }),
    ...(requestType === undefined
      ? {}
      : {
          requestBody: {
            content: contentOf(bodyTypes, refTo(requestType, 'v3')),
            ...(body === 'delete-options' ? {} : { required: true }),
          },
        }),
    responses: {
      ...Object.fromEntries(
        successCodes(operation).map(([code, description]) => [
          code,
          { description, content: contentOf(responseTypes(operation), schema) },
        ]),
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

/** Builds the document of one group version. */
export const openApiDocument = (groupVersion: OpenApiGroupVersion): Json => {
  const paths = openApiPaths(groupVersion)
  const custom = customDefinitions(groupVersion, 'v3')
  const isCustom = Object.keys(custom).length > 0
  const tag = tagOf(groupVersion)
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.fromEntries(paths.map((path) => [path.path, writePath(path, tag, isCustom)])),
    components: {
      schemas: { ...custom, ...openApiSchemas(referencedDefinitions(paths, isCustom), 'v3') },
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  }
}

/** Builds the index at /openapi/v3. */
export const openApiIndex = (groupVersions: readonly OpenApiGroupVersion[]): Json => ({
  paths: Object.fromEntries(
    groupVersions
      .map((groupVersion) => [pathOf(groupVersion), hashOf(groupVersion)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]),
  ),
})

const texts = new Map<string, { hash: string; text: string }>()

/** Returns the document as JSON text. It is cached while its resources are unchanged. */
export const openApiDocumentText = (groupVersion: OpenApiGroupVersion): string => {
  const path = pathOf(groupVersion)
  const hash = hashOf(groupVersion)
  const cached = texts.get(path)
  if (cached?.hash === hash) return cached.text
  const text = JSON.stringify(openApiDocument(groupVersion))
  texts.set(path, { hash, text })
  return text
}
