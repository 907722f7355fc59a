/** OpenAPI version 2: one document for everything served, which kubectl up to 1.28 and helm read. */
import { customDefinitions } from './openapi-custom.ts'
import { type OpenApiPath, type Operation, openApiPaths, tagOf } from './openapi-operations.ts'
import type { Parameter } from './openapi-parameters.ts'
import { openApiPathItem } from './openapi-path-item.ts'
import { answerName, bodyName, referredDefinitions, successCodes } from './openapi-references.ts'
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

const answerTypes = ({ answer, action }: Operation): string[] => {
  if (answer === 'text') return action === 'connect' ? ['*/*'] : ['text/plain', ...OBJECT_TYPES]
  return answer === 'list' || answer === 'watch' ? [...OBJECT_TYPES, ...WATCH_TYPES] : OBJECT_TYPES
}

/** Clients take the merge keys of a type from here, so custom resources must not offer strategic merge. */
const sentTypes = ({ body, answer }: Operation, custom: boolean): string[] => {
  if (body === 'patch')
    return custom ? PATCH_TYPES.filter((type) => !type.includes('strategic')) : PATCH_TYPES
  return answer === 'resources' ? OBJECT_TYPES : ['*/*']
}

const writeParameter = ({ name, in: place, type }: Parameter): Json => ({
  uniqueItems: true,
  type,
  name,
  in: place,
  ...(place === 'path' ? { required: true } : {}),
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
  const own = parameters.filter(({ name }) => !shared.has(name)).map(writeParameter)
  const answered = answerName(operation)
  const schema = answered === undefined ? { type: 'string' } : refTo(answered, 'v2')
  const all = [...bodyParameter(operation), ...own]
  return {
    consumes: sentTypes(operation, custom),
    produces: answerTypes(operation),
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: {
      ...Object.fromEntries(
        successCodes(operation).map(([code, description]) => [code, { description, schema }]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind === undefined ? {} : { 'x-kubernetes-group-version-kind': kind }),
  }
}

const writePath = (path: OpenApiPath, tag: string, custom: boolean): Json =>
  openApiPathItem(path, {
    parameter: writeParameter,
    operation: (operation, shared) => writeOperation(operation, tag, custom, shared),
  })

/** The document for all group versions together. */
const openApiV2Document = (groupVersions: readonly OpenApiGroupVersion[]): Json => {
  const paths: Json = {}
  const custom: Json = {}
  const roots = new Set<string>()
  for (const groupVersion of groupVersions) {
    const tag = tagOf(groupVersion)
    const ofGroup = openApiPaths(groupVersion)
    const ofCustom = customDefinitions(groupVersion, 'v2')
    const isCustom = Object.keys(ofCustom).length > 0
    Object.assign(custom, ofCustom)
    for (const path of ofGroup) paths[path.path] = writePath(path, tag, isCustom)
    for (const short of referredDefinitions(ofGroup, isCustom)) roots.add(short)
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

/** As JSON text, made once for as long as the resources stay the same. */
export const openApiV2Text = (groupVersions: readonly OpenApiGroupVersion[]): string => {
  const entry = latestFor(groupVersions)
  entry.text ??= JSON.stringify(openApiV2Document(groupVersions))
  return entry.text
}

/** As protobuf, which is what kubectl asks for; likewise made once. */
export const openApiV2Protobuf = (groupVersions: readonly OpenApiGroupVersion[]): Uint8Array => {
  const entry = latestFor(groupVersions)
  entry.bytes ??= encodeOpenApiV2(openApiV2Document(groupVersions))
  return entry.bytes
}
