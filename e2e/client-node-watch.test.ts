/** Tests watches and informers of @kubernetes/client-node: events, timeouts, expired versions and missing rights. */
import {
  CoreV1Api,
  type Informer,
  type KubeConfig,
  makeInformer,
  type ObjectCache,
  RbacAuthorizationV1Api,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientConfig, configWithToken } from './testing/client-config.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

/** More changes than a cluster keeps for one kind. */
const EXPIRING_CHANGES = 2500

let cluster: TestCluster
let config: KubeConfig
let core: CoreV1Api
let namespaceCount = 0
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  cluster = await createTestCluster('client-node-watch')
  config = clientConfig(cluster)
  core = config.makeApiClient(CoreV1Api)
})
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})
afterAll(() => cluster?.close())

const createNamespace = async (): Promise<string> => {
  namespaceCount += 1
  const name = `watched-${namespaceCount}`
  await core.createNamespace({ body: { metadata: { name } } })
  // Kubernetes creates a ConfigMap in each new namespace. Later, its event would disturb the test.
  await expect
    .poll(async () => (await core.listNamespacedConfigMap({ namespace: name })).items.length)
    .toBe(1)
  return name
}
const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`
const create = (namespace: string, name: string, labels: Record<string, string> = {}) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, namespace, labels } } })
const change = (namespace: string, name: string, value: string) =>
  core.patchNamespacedConfigMap({ namespace, name, body: [{ op: 'add', path: '/data', value: { value } }] })
const remove = (namespace: string, name: string) => core.deleteNamespacedConfigMap({ namespace, name })

/** Makes so many changes that all earlier versions expire. */
const expireVersions = async (namespace: string): Promise<void> => {
  const configMaps = { apiVersion: 'v1', plural: 'configmaps', namespace }
  await cluster.api.create(configMaps, { metadata: { name: 'busy', namespace } })
  for (let round = 0; round < EXPIRING_CHANGES; round += 1)
    await cluster.api.patch({ ...configMaps, name: 'busy' }, 'merge', { data: { round: `${round}` } })
}

describe('Watch', () => {
  const describeObject = ({ metadata, code }: V1ConfigMap & { code?: number }): unknown =>
    code ?? metadata?.name ?? Object.keys(metadata?.annotations ?? {})[0]

  const watch = async (namespace: string, query: Record<string, string | number | boolean> = {}) => {
    const events: string[] = []
    let resolveEnd: (error: unknown) => void
    const ended = new Promise((resolve) => {
      resolveEnd = resolve
    })
    const controller = await new Watch(config).watch(
      pathOf(namespace),
      query,
      (phase, object) => events.push(`${phase} ${describeObject(object)}`),
      (error) => resolveEnd(error),
    )
    cleanups.push(() => controller.abort())
    return { events, ended, controller }
  }

  it('sends existing objects, then changes', async () => {
    const namespace = await createNamespace()
    await create(namespace, 'first')
    const { events } = await watch(namespace)
    await expect.poll(() => events.length).toBe(2)
    await create(namespace, 'second')
    await change(namespace, 'first', 'x')
    await remove(namespace, 'second')
    await expect.poll(() => events.length).toBe(5)
    expect(events).toEqual([
      'ADDED first',
      'ADDED kube-root-ca.crt',
      'ADDED second',
      'MODIFIED first',
      'DELETED second',
    ])
  })

  it('sends only changes that are newer than a version and match a selector', async () => {
    const namespace = await createNamespace()
    const { metadata } = await create(namespace, 'before', { team: 'a' })
    const { events } = await watch(namespace, {
      resourceVersion: metadata!.resourceVersion!,
      labelSelector: 'team=a',
    })
    await create(namespace, 'other', { team: 'b' })
    await create(namespace, 'after', { team: 'a' })
    const relabelling = [{ op: 'replace', path: '/metadata/labels', value: { team: 'b' } }]
    await core.patchNamespacedConfigMap({ namespace, name: 'before', body: relabelling })
    await expect.poll(() => events).toEqual(['ADDED after', 'DELETED before'])
  })

  it('sends bookmarks, and ends after its timeout', async () => {
    const namespace = await createNamespace()
    const { events, ended } = await watch(namespace, {
      timeoutSeconds: 1,
      allowWatchBookmarks: true,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    })
    expect(await ended).toBeNull()
    expect(events.slice(0, 2)).toEqual(['ADDED kube-root-ca.crt', 'BOOKMARK k8s.io/initial-events-end'])
  })

  it('reports expired versions, and rejects invalid ones', async () => {
    const namespace = await createNamespace()
    const { metadata } = await create(namespace, 'old')
    await expireVersions(namespace)
    const { events, ended } = await watch(namespace, { resourceVersion: metadata!.resourceVersion! })
    await ended
    expect(events).toEqual(['ERROR 410'])
    expect(await (await watch(namespace, { resourceVersion: 'nonsense' })).ended).toMatchObject({
      statusCode: 422,
    })
  })
})

describe('an informer', () => {
  const createInformer = (namespace: string, kubeConfig: KubeConfig = config) => {
    const events: string[] = []
    const client = kubeConfig.makeApiClient(CoreV1Api)
    const informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap> = makeInformer(
      kubeConfig,
      pathOf(namespace),
      () => client.listNamespacedConfigMap({ namespace }),
    )
    for (const verb of ['add', 'update', 'delete'] as const)
      informer.on(verb, ({ metadata }) => events.push(`${verb} ${metadata?.name}`))
    informer.on('error', (error) => events.push(`error ${error.code ?? error}`))
    cleanups.push(() => informer.stop())
    const names = () => informer.list(namespace).map(({ metadata }) => metadata?.name)
    return { informer, events, names }
  }

  it('keeps a copy up to date', async () => {
    const namespace = await createNamespace()
    const { informer, events, names } = createInformer(namespace)
    await informer.start()
    await create(namespace, 'a')
    await change(namespace, 'a', '1')
    await expect.poll(() => informer.get('a', namespace)?.data).toEqual({ value: '1' })
    await remove(namespace, 'a')
    await expect.poll(names).toEqual(['kube-root-ca.crt'])
    expect(events).toEqual(['add kube-root-ca.crt', 'add a', 'update a', 'delete a'])
  })

  it('lists again after its version has expired', async () => {
    const namespace = await createNamespace()
    const { informer, events, names } = createInformer(namespace)
    await create(namespace, 'goes')
    await informer.start()
    await informer.stop()
    await remove(namespace, 'goes')
    await expireVersions(namespace)
    events.length = 0
    await informer.start()
    await expect.poll(names, { timeout: 20_000 }).toEqual(['kube-root-ca.crt', 'busy'])
    expect(events).toEqual(['delete goes', 'add busy'])
    await create(namespace, 'comes')
    await expect.poll(names, { timeout: 20_000 }).toContain('comes')
  })

  it('reports missing rights, and works once it has them', async () => {
    const namespace = await createNamespace()
    await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'guest', namespace } } })
    const request = { spec: { audiences: [], expirationSeconds: 3600 } }
    const { status } = await core.createNamespacedServiceAccountToken({
      name: 'guest',
      namespace,
      body: request,
    })
    const { informer, events } = createInformer(namespace, configWithToken(cluster, status!.token!))
    await informer.start()
    expect(events).toEqual(['error 403'])
    await config.makeApiClient(RbacAuthorizationV1Api).createNamespacedRoleBinding({
      namespace,
      body: {
        metadata: { name: 'guest', namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'guest', namespace }],
      },
    })
    await informer.start()
    await create(namespace, 'seen')
    await expect.poll(() => events).toEqual(['error 403', 'add kube-root-ca.crt', 'add seen'])
  })
})
