/** Tests of OpenAPI version 2, as JSON and as protobuf. */
import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { realGroupVersions, realSchemas } from '../testing/real-fixtures.ts'
import { openApiV2Protobuf, openApiV2Text } from './openapi-v2.ts'

/** The subset of gnostic's openapi.v2 messages that kubectl reads. */
const GNOSTIC = `
syntax = "proto3";
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message AdditionalPropertiesItem { Schema schema = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message Properties { repeated NamedSchema additional_properties = 1; }
message Schema {
  string ref = 1; string format = 2; string description = 4; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendor_extension = 31;
}
message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message QueryParameter { string in = 2; string name = 4; string type = 6; bool unique_items = 20; }
message PathParameter { bool required = 1; string in = 2; string name = 4; string type = 5; bool unique_items = 19; }
message NonBodyParameter { QueryParameter query = 3; PathParameter path = 4; }
message Parameter { BodyParameter body = 1; NonBodyParameter non_body = 2; }
message ParametersItem { Parameter parameter = 1; }
message Operation { string operation_id = 5; repeated ParametersItem parameters = 8; repeated NamedAny vendor_extension = 13; }
message PathItem { Operation get = 2; Operation post = 4; Operation patch = 8; repeated ParametersItem parameters = 9; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message Paths { repeated NamedPathItem path = 2; }
message Info { string title = 1; string version = 2; }
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Properties definitions = 9; }
`

const groupVersions = realGroupVersions().map(({ groupVersion }) => groupVersion)
const json = JSON.parse(openApiV2Text(groupVersions))
const Document = protobuf.parse(GNOSTIC).root.lookupType('Document')
const decoded: any = Document.toObject(Document.decode(openApiV2Protobuf(groupVersions)))

const toExtensions = (list: { name: string; value: { yaml: string } }[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ name, value }) => [name, JSON.parse(value.yaml)]))

/** Converts a decoded schema back to JSON. */
const toJson = (schema: any): Record<string, unknown> => ({
  ...(schema.ref ? { $ref: schema.ref } : {}),
  ...(schema.format ? { format: schema.format } : {}),
  ...(schema.description ? { description: schema.description } : {}),
  ...(schema.required?.length ? { required: schema.required } : {}),
  ...(schema.enum?.length ? { enum: schema.enum.map(({ yaml }: { yaml: string }) => JSON.parse(yaml)) } : {}),
  ...(schema.type ? { type: schema.type.value[0] } : {}),
  ...(schema.items ? { items: toJson(schema.items.schema[0]) } : {}),
  ...(schema.additionalProperties
    ? { additionalProperties: toJson(schema.additionalProperties.schema) }
    : {}),
  ...(schema.properties
    ? {
        properties: Object.fromEntries(
          schema.properties.additionalProperties.map(({ name, value }: any) => [name, toJson(value)]),
        ),
      }
    : {}),
  ...toExtensions(schema.vendorExtension),
})

describe('OpenAPI version 2', () => {
  it('has the same definitions and fields as version 3', () => {
    const expected = realSchemas() as Record<string, { properties?: object }>
    expect(Object.keys(json.definitions).sort()).toEqual(Object.keys(expected).sort())
    for (const [name, { properties = {} }] of Object.entries(expected)) {
      expect(Object.keys(json.definitions[name].properties ?? {})).toEqual(Object.keys(properties))
    }
  })

  it('encodes the same document as protobuf and as JSON', () => {
    expect(decoded).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes', version: '1.32' } })
    const definitions = decoded.definitions.additionalProperties.map(({ name, value }: any) => [
      name,
      toJson(value),
    ])
    expect(Object.fromEntries(definitions)).toEqual(json.definitions)
  })

  it('lists the fieldValidation parameter, by which old clients detect server-side validation', () => {
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
    const { value } = decoded.paths.path.find(({ name }: { name: string }) => name === path)
    expect(toExtensions(value.patch.vendorExtension)).toEqual({
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    })
    const parameters = value.patch.parameters.map(
      ({ parameter }: any) => parameter.body ?? parameter.nonBody.query,
    )
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'body',
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ])
    expect(value.parameters[0].parameter.nonBody.path).toMatchObject({
      name: 'name',
      in: 'path',
      required: true,
    })
  })

  it('drops the parts of custom resource schemas that version 2 cannot express', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true },
        b: { oneOf: [{ type: 'string' }] },
        c: { type: 'integer' },
      },
    }
    const custom = {
      plural: 'things',
      singular: 'thing',
      kind: 'Thing',
      namespaced: false,
      verbs: ['get'],
      schema,
    }
    const { definitions } = JSON.parse(
      openApiV2Text([{ group: 'example.com', version: 'v1', resources: [custom] }]),
    )
    expect(definitions['com.example.v1.Thing'].properties).toMatchObject({
      a: {},
      b: {},
      c: { type: 'integer' },
    })
    expect(definitions['com.example.v1.Thing'].properties.a).toEqual({})
    expect(definitions).toHaveProperty(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'])
  })
})
