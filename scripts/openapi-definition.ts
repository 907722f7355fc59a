/** The parts of an OpenAPI v2 document that the schema is built from. */

export interface Property {
  type?: string
  format?: string
  $ref?: string
  items?: Property
  additionalProperties?: Property
  enum?: string[]
  [extension: `x-kubernetes-${string}`]: unknown
}

export interface Definition {
  type?: string
  properties?: Record<string, Property>
  required?: string[]
  [extension: `x-kubernetes-${string}`]: unknown
}
