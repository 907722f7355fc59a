/** The shapes of API objects: decoding, validation of structure, OpenAPI documents, protobuf. */

export { decodeError, fieldWarnings, strictDecodingError, strictReason } from './decode-error.ts'
export { type Decoded, type DecodeOptions, decodeObject } from './decode-object.ts'
export { definitionName, schemaOf } from './definitions.ts'
export { findDuplicateFields } from './find-duplicate-fields.ts'
export type { OpenApiGroupVersion, OpenApiResource, OpenApiSubresource } from './openapi-resource.ts'
export { openApiV2Protobuf, openApiV2Text } from './openapi-v2.ts'
export { openApiDocumentText, openApiIndex } from './openapi-v3.ts'
export { decodeProtobuf } from './protobuf.ts'
export * from './schema.ts'
