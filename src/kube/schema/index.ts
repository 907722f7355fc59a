/** The shapes of API objects: decoding, validation of structure, OpenAPI documents, protobuf. */
export * from './schema.ts'
