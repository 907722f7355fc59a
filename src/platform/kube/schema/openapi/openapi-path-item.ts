/** Builds the path item of an OpenAPI document, for version 2 and version 3. */
import { type OpenApiPath, type Operation, sharedParameters } from './openapi-operations.ts'
import type { Parameter } from './openapi-parameters.ts'
import type { Json } from './openapi-schema.ts'

export interface PathWriter {
  parameter(parameter: Parameter): Json
  /** `shared` holds the names of the parameters that are written at the path. */
  operation(operation: Operation, shared: ReadonlySet<string>): Json
}

export const openApiPathItem = (path: OpenApiPath, write: PathWriter): Json => {
  const shared = sharedParameters(path)
  const names = new Set(shared.map(({ name }) => name))
  return {
    ...Object.fromEntries(
      path.operations.map((operation) => [operation.method, write.operation(operation, names)]),
    ),
    ...(shared.length === 0 ? {} : { parameters: shared.map(write.parameter) }),
  }
}
