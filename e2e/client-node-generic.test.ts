/** Tests the clients of @kubernetes/client-node that accept any kind: KubernetesObjectApi and CustomObjectsApi. */
import {
  ApiextensionsV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientConfig } from './testing/client-config.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

type ConfigMap = KubernetesObject & { data?: Record<string, string> }

let cluster: TestCluster
let config: KubeConfig

beforeAll(async () => {
  cluster = await createTestCluster('client-node-generic')
  config = clientConfig(cluster)
})
afterAll(() => cluster?.close())

describe('KubernetesObjectApi', () => {
  const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'thing', namespace: 'default' } }
  const read = (api: KubernetesObjectApi) => api.read<ConfigMap>(head)

  const apply = (api: KubernetesObjectApi, manager: string, data: Record<string, string>, force = false) =>
    api.patch<ConfigMap>(
      { ...head, data },
      undefined,
      undefined,
      manager,
      force,
      PatchStrategy.ServerSideApply,
    )

  it('creates, reads, patches, replaces, lists and deletes', async () => {
    const api = KubernetesObjectApi.makeApiClient(config)
    await api.create<ConfigMap>({ ...head, data: { a: '1' } })
    await expect(api.create<ConfigMap>(head)).rejects.toMatchObject({
      code: 409,
      body: expect.stringContaining('configmaps \\"thing\\" already exists'),
    })
    await api.patch<ConfigMap>({ ...head, data: { b: '2' } })
    await api.patch<ConfigMap>(
      { ...head, data: { a: null as never } },
      undefined,
      undefined,
      undefined,
      undefined,
      PatchStrategy.MergePatch,
    )
    expect((await read(api)).data).toEqual({ b: '2' })
    await api.replace<ConfigMap>({ ...head, data: { c: '3' } })
    const list = await api.list<ConfigMap>(
      'v1',
      'ConfigMap',
      'default',
      undefined,
      undefined,
      undefined,
      'metadata.name=thing',
    )
    expect(list).toMatchObject({ kind: 'ConfigMapList', items: [{ data: { c: '3' } }] })
    expect(await api.delete(head)).toMatchObject({ status: 'Success' })
    await expect(read(api)).rejects.toMatchObject({ code: 404 })
  })

  it('applies on the server', async () => {
    const api = KubernetesObjectApi.makeApiClient(config)
    await apply(api, 'one', { a: '1', b: '1' })
    await expect(apply(api, 'two', { a: '2' })).rejects.toMatchObject({
      code: 409,
      body: expect.stringContaining('Apply failed with 1 conflict: conflict with \\"one\\": .data.a'),
    })
    await apply(api, 'two', { a: '2' }, true)
    await apply(api, 'one', { c: '1' })
    expect((await read(api)).data).toEqual({ a: '2', c: '1' })
  })

  it('finds where each kind is served', async () => {
    const api = KubernetesObjectApi.makeApiClient(config)
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'found' } }
    await api.create(namespace)
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace: 'found' },
    }
    expect(await api.create(role)).toMatchObject(role)
    await expect(api.create({ ...role, apiVersion: 'nowhere.example.com/v1' })).rejects.toMatchObject({
      code: 404,
    })
    await api.delete(namespace, undefined, undefined, undefined, undefined, 'Foreground')
    await expect
      .poll(async () => (await api.list('v1', 'Namespace')).items.map(({ metadata }) => metadata?.name), {
        timeout: 20_000,
      })
      .not.toContain('found')
  })
})

describe('CustomObjectsApi', () => {
  const group = 'music.example.com'
  const songs = { group, version: 'v1', namespace: 'default', plural: 'songs' }

  beforeAll(async () => {
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `songs.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Song', plural: 'songs', singular: 'song' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: {
                status: {},
                scale: { specReplicasPath: '.spec.voices', statusReplicasPath: '.status.voices' },
              },
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      required: ['title'],
                      properties: {
                        title: { type: 'string', maxLength: 10 },
                        voices: { type: 'integer', _default: 1 },
                      },
                    },
                    status: { type: 'object', properties: { voices: { type: 'integer' } } },
                  },
                },
              },
            },
          ],
        },
      },
    })
  })

  const toSong = (title: string) => ({
    apiVersion: `${group}/v1`,
    kind: 'Song',
    metadata: { name: 'round' },
    spec: { title },
    status: { voices: 9 },
  })

  it('creates, validates and changes custom resources', async () => {
    const api = config.makeApiClient(CustomObjectsApi)
    const round = { ...songs, name: 'round' }
    await expect
      .poll(() => api.listNamespacedCustomObject(songs).catch(() => undefined), { timeout: 10_000 })
      .toBeDefined()
    await expect(
      api.createNamespacedCustomObject({ ...songs, body: toSong('much too long') }),
    ).rejects.toMatchObject({
      code: 422,
      body: expect.stringContaining('spec.title: Too long: may not be more than 10 bytes'),
    })
    const created = await api.createNamespacedCustomObject({ ...songs, body: toSong('Frere') })
    expect(created.spec).toEqual({ title: 'Frere', voices: 1 })
    expect(created).not.toHaveProperty('status')

    await api.patchNamespacedCustomObject(
      { ...round, body: { spec: { title: 'Jacques' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
    await api.patchNamespacedCustomObjectScale({
      ...round,
      body: [{ op: 'replace', path: '/spec/replicas', value: 4 }],
    })
    await api.patchNamespacedCustomObjectStatus({
      ...round,
      body: [{ op: 'add', path: '/status', value: { voices: 3 } }],
    })
    expect(await api.getNamespacedCustomObject(round)).toMatchObject({
      metadata: { generation: 3 },
      spec: { title: 'Jacques', voices: 4 },
      status: { voices: 3 },
    })
    expect(
      (await api.listCustomObjectForAllNamespaces({ ...songs, resourcePlural: 'songs' })).items,
    ).toHaveLength(1)
    await api.deleteNamespacedCustomObject(round)
    expect((await api.listNamespacedCustomObject(songs)).items).toEqual([])
  })
})
