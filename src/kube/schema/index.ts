/** The shapes of API objects: decoding, validation of structure, OpenAPI documents, protobuf. */

export { strictDecodingError } from './decode-error.ts'
export { DecodeFailure } from './decode-failure.ts'
export { decodeObject } from './decode-object.ts'
export { schemaOf } from './definitions.ts'
export { fieldComplaints } from './field-complaints.ts'
export { findDuplicateFields } from './find-duplicate-fields.ts'
export { readGoTime } from './go-time.ts'
export type { OpenApiGroupVersion } from './openapi-resource.ts'
export { openApiV2Protobuf, openApiV2Text } from './openapi-v2.ts'
export { openApiDocumentText, openApiIndex } from './openapi-v3.ts'
export { decodeProtobuf } from './protobuf.ts'
export * from './schema.ts'
