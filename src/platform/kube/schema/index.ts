/** Schemas of API objects: decoding, OpenAPI documents, protobuf. */

export { DecodeError, strictDecodingError } from './decoding/decode-error.ts'
export { DecodeFailure } from './decoding/decode-failure.ts'
export { decodeObject } from './decoding/decode-object.ts'
export { fieldWarnings } from './decoding/field-warnings.ts'
export { findDuplicateFields } from './decoding/find-duplicate-fields.ts'
export { readGoTime } from './decoding/go-time.ts'
export { decodeProtobuf } from './decoding/protobuf.ts'
export { schemaOf } from './definitions.ts'
export type { OpenApiGroupVersion } from './openapi/openapi-resource.ts'
export { openApiV2Protobuf, openApiV2Text } from './openapi/openapi-v2.ts'
export { openApiDocumentText, openApiIndex } from './openapi/openapi-v3.ts'
export * from './schema.ts'
