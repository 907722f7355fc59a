/** What both versions of OpenAPI say of a path, in the words of either. */
import { type OpenApiPath, type Operation, sharedParameters } from './openapi-operations.ts'
import type { Parameter } from './openapi-parameters.ts'
import type { Json } from './openapi-schema.ts'

export interface PathWriter {
  parameter(parameter: Parameter): Json
  /** `shared` names the parameters that the path has for all its operations. */
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
