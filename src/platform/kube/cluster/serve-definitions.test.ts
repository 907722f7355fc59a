/** Tests that the kinds of CustomResourceDefinitions are served, also after changes. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { expect, it } from 'vitest'
import { customResourceDefinitions } from '#platform/kube/kinds'
import type { Draft } from '#platform/kube/meta'
import { conditionTexts, createScenario } from './testing/create-scenario.ts'

const definition = (properties: Record<string, { type: string }>): Draft<CustomResourceDefinition> => ({
  metadata: { name: 'kettles.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'kettles', singular: 'kettle', kind: 'Kettle', listKind: 'KettleList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      },
    ],
  },
})

const KETTLES = { apiVersion: 'example.com/v1', plural: 'kettles', namespace: 'default' }
const kettle = (name: string, spec: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Kettle',
  metadata: { name },
  spec,
})

it('serves a kind from the creation of its definition until its deletion, and applies changes', async () => {
  const { admin, client, cluster, advanceSeconds, until } = createScenario()
  const { directory } = cluster.resources
  await expect(admin.list(KETTLES)).rejects.toMatchObject({ code: 404 })

  client.create(customResourceDefinitions, definition({ litres: { type: 'integer' } }))
  advanceSeconds(5)
  const stored = () => client.get(customResourceDefinitions, '', 'kettles.example.com')
  expect(conditionTexts(stored()!)).toEqual([
    'NamesAccepted True NoConflicts: no conflicts found',
    'Established True InitialNamesAccepted: the initial names have been accepted',
  ])
  await admin.create(KETTLES, kettle('one', { litres: 2, colour: 'red' }))
  expect((await admin.get({ ...KETTLES, name: 'one' })).spec).toEqual({ litres: 2 })
  await expect(admin.create(KETTLES, kettle('two', { litres: 'many' }))).rejects.toMatchObject({ code: 422 })

  const { spec } = definition({ litres: { type: 'integer' }, colour: { type: 'string' } })
  client.update(customResourceDefinitions, {
    ...stored()!,
    spec: { ...stored()!.spec, versions: spec!.versions },
  })
  advanceSeconds(1)
  await admin.create(KETTLES, kettle('three', { litres: 1, colour: 'red' }))
  expect((await admin.get({ ...KETTLES, name: 'three' })).spec).toEqual({ litres: 1, colour: 'red' })
  expect(directory.find('example.com', 'v1', 'kettles')!.kind.openApiSchema).toMatchObject({
    properties: { spec: { properties: { colour: { type: 'string' } } } },
  })

  await admin.delete({
    apiVersion: 'apiextensions.k8s.io/v1',
    plural: 'customresourcedefinitions',
    name: 'kettles.example.com',
  })
  expect(conditionTexts(stored()!)).toContain(
    'Terminating True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  )
  await expect(admin.create(KETTLES, kettle('late', { litres: 1 }))).rejects.toMatchObject({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
  })
  until(() => stored() === undefined, 60)
  await expect(admin.list(KETTLES)).rejects.toMatchObject({ code: 404 })
  expect(directory.hasGroupVersion('example.com', 'v1')).toBe(false)
  expect(cluster.resources.store.since('example.com/kettles', 0)).toBeUndefined()
})
