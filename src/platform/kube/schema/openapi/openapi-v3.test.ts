/** Tests of OpenAPI version 3 against documents of a real server. */
import { describe, expect, it } from 'vitest'
import { realGroupVersions, realSchemas } from '../testing/real-fixtures.ts'
import type { OpenApiGroupVersion } from './openapi-resource.ts'
import { openApiDocument, openApiDocumentText, openApiIndex } from './openapi-v3.ts'

interface Document {
  paths: Record<string, Record<string, any>>
  components: { schemas: Record<string, any> }
}

const documentOf = (groupVersion: OpenApiGroupVersion): Document =>
  JSON.parse(openApiDocumentText(groupVersion))
const names = (parameters: { name: string }[] = []): string => parameters.map(({ name }) => name).join(' ')

/** Summarizes paths in the format of the fixture. */
const summarize = (paths: Document['paths']) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, { parameters, ...operations }]) => [
      path,
      {
        ...(parameters === undefined ? {} : { shared: names(parameters) }),
        ...Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => {
            const kind = operation['x-kubernetes-group-version-kind']
            const id = kind === undefined ? '' : `${kind.group}/${kind.version}/${kind.kind}`
            const action = operation['x-kubernetes-action'] ?? ''
            return [method, [operation.operationId, action, id, names(operation.parameters)].join('|')]
          }),
        ),
      },
    ]),
  )

const withoutDescriptions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDescriptions)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, item]) =>
          key !== 'x-kubernetes-group-version-kind' && !(key === 'description' && typeof item === 'string'),
      )
      .map(([key, item]) => [key, withoutDescriptions(item)]),
  )
}

const real = realGroupVersions()
const appsV1 = real.find(({ groupVersion }) => groupVersion.group === 'apps')!.groupVersion

describe('OpenAPI version 3', () => {
  it.each(real.map((entry) => [`${entry.groupVersion.group}/${entry.groupVersion.version}`, entry] as const))(
    'has the paths, operations and parameters of a real server: %s',
    (_, { groupVersion, paths }) => {
      expect(summarize(documentOf(groupVersion).paths)).toEqual(paths)
    },
  )

  it('lists the values of an enum in its description', () => {
    const { schemas } = documentOf(appsV1).components
    const { imagePullPolicy } = schemas['io.k8s.api.core.v1.Container'].properties
    expect(imagePullPolicy.enum).toEqual(['Always', 'IfNotPresent', 'Never'])
    expect(imagePullPolicy.description).toMatch(
      /^Image pull policy\.[\s\S]*\n\nPossible enum values:\n - `"Always"`\n - `"IfNotPresent"`\n - `"Never"`$/,
    )
  })

  it('has the schemas of a real server, including defaults and extensions', () => {
    const schemas = Object.assign(
      {},
      ...real.map(({ groupVersion }) => documentOf(groupVersion).components.schemas),
    )
    const expected = realSchemas()
    // The real server omits allOf for a field that has no description. This is the only such field.
    const rule = expected['io.k8s.api.networking.v1.IngressRule'] as { properties: Record<string, object> }
    rule.properties.http = { allOf: [rule.properties.http] }
    expect(withoutDescriptions(schemas)).toEqual(expected)
  })

  it('includes kinds and descriptions', () => {
    const deployment = documentOf(appsV1).components.schemas['io.k8s.api.apps.v1.Deployment']
    expect(deployment['x-kubernetes-group-version-kind']).toEqual([
      { group: 'apps', kind: 'Deployment', version: 'v1' },
    ])
    expect(deployment.description).toMatch(/Deployment/)
    expect(deployment.properties.spec.description).not.toBe('')
  })

  it('refers only to schemas that it contains', () => {
    for (const { groupVersion } of real) {
      const text = openApiDocumentText(groupVersion)
      const contained = new Set(Object.keys(documentOf(groupVersion).components.schemas))
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
        expect(contained).toContain(name)
    }
  })

  it('lists documents under URLs with a hash of their resources', () => {
    const index = openApiIndex([appsV1]) as { paths: Record<string, { serverRelativeURL: string }> }
    const url = index.paths['apis/apps/v1']!.serverRelativeURL
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)
    expect(openApiIndex([appsV1])).toEqual(index)
    expect(openApiIndex([{ ...appsV1, resources: appsV1.resources.slice(1) }])).not.toEqual(index)
  })

  it('describes custom resources with the schema of their definition', () => {
    const kind = { group: 'stable.example.com', version: 'v1', kind: 'CronTab' }
    const document = openApiDocument({
      ...kind,
      resources: [
        {
          plural: 'crontabs',
          singular: 'crontab',
          kind: 'CronTab',
          namespaced: true,
          verbs: ['create', 'get', 'list', 'patch'],
          subresources: [{ name: 'status', kind, verbs: ['get', 'patch', 'update'] }],
          schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
          },
        },
      ],
    }) as unknown as Document
    const schema = document.components.schemas['com.example.stable.v1.CronTab']
    expect(schema.properties.spec.properties.n).toEqual({ type: 'integer' })
    expect(schema['x-kubernetes-group-version-kind']).toEqual([kind])
    expect(document.components.schemas).toHaveProperty(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'])
    const { patch } = document.paths['/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}']!
    expect(names(patch.parameters)).toBe('dryRun fieldManager fieldValidation force')
    expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json')
    expect(document.paths).toHaveProperty([
      '/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/status',
    ])
  })
})
