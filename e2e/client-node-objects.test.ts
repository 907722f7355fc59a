/** Tests the typed clients of @kubernetes/client-node, group by group. */
import {
  ApiException,
  AppsV1Api,
  AutoscalingV2Api,
  BatchV1Api,
  CoordinationV1Api,
  CoreV1Api,
  type KubeConfig,
  NetworkingV1Api,
  PatchStrategy,
  PolicyV1Api,
  StorageV1Api,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defined } from '#kit'
import { clientConfig } from './testing/client-config.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

const namespace = 'typed'
const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
const STRATEGIC = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch)

let cluster: TestCluster
let config: KubeConfig
let core: CoreV1Api
let apps: AppsV1Api

beforeAll(async () => {
  cluster = await createTestCluster('client-node-objects')
  config = clientConfig(cluster)
  core = config.makeApiClient(CoreV1Api)
  apps = config.makeApiClient(AppsV1Api)
  await core.createNamespace({ body: { metadata: { name: namespace } } })
})
afterAll(() => cluster?.close())

const podTemplate = (app: string) => ({
  metadata: { labels: { app } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', '100000'] }],
  },
})

/** Resolves to the Status of a rejected request. */
const statusOf = async (request: Promise<unknown>): Promise<unknown> => {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiException)) throw new Error('the request was not rejected', { cause: error })
  return JSON.parse(error.body)
}

describe('core', () => {
  it('creates, reads, replaces, patches and deletes', async () => {
    const metadata = { name: 'notes', namespace }
    const created = await core.createNamespacedConfigMap({ namespace, body: { metadata, data: { a: '1' } } })
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date)
    expect(await core.readNamespacedConfigMap({ name: 'notes', namespace })).toEqual(created)

    const replaced = await core.replaceNamespacedConfigMap({
      name: 'notes',
      namespace,
      body: { ...created, data: { a: '2' } },
    })
    expect(replaced.data).toEqual({ a: '2' })
    expect(
      await statusOf(
        core.replaceNamespacedConfigMap({ name: 'notes', namespace, body: { ...created, data: {} } }),
      ),
    ).toMatchObject({ code: 409, reason: 'Conflict', details: { kind: 'configmaps', name: 'notes' } })

    const patch = [{ op: 'add', path: '/data/b', value: '3' }]
    await core.patchNamespacedConfigMap({ name: 'notes', namespace, body: patch })
    const merged = await core.patchNamespacedConfigMap(
      { name: 'notes', namespace, body: { data: { a: null } } },
      MERGE,
    )
    expect(merged.data).toEqual({ b: '3' })

    expect(await core.deleteNamespacedConfigMap({ name: 'notes', namespace })).toMatchObject({
      status: 'Success',
    })
    expect(await statusOf(core.readNamespacedConfigMap({ name: 'notes', namespace }))).toMatchObject({
      code: 404,
      message: 'configmaps "notes" not found',
    })
  })

  it('lists by label and field in pages, and deletes collections', async () => {
    for (const index of [1, 2, 3, 4, 5]) {
      const metadata = {
        name: `page-${index}`,
        namespace,
        labels: { book: 'atlas', odd: `${index % 2 === 1}` },
      }
      await core.createNamespacedConfigMap({ namespace, body: { metadata } })
    }
    const names: (string | undefined)[][] = []
    let next: string | undefined
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        labelSelector: 'book=atlas',
        limit: 2,
        ...defined({ _continue: next }),
      })
      names.push(page.items.map((item) => item.metadata?.name))
      next = page.metadata?._continue
    } while (next)
    expect(names).toEqual([['page-1', 'page-2'], ['page-3', 'page-4'], ['page-5']])

    const { items } = await core.listConfigMapForAllNamespaces({ fieldSelector: 'metadata.name=page-4' })
    expect(items).toHaveLength(1)
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'book=atlas,odd=true' })
    const remaining = await core.listNamespacedConfigMap({ namespace, labelSelector: 'book' })
    expect(remaining.items.map((item) => item.metadata?.name)).toEqual(['page-2', 'page-4'])
  })

  it('dry-runs a write, and reports invalid fields', async () => {
    const metadata = { generateName: 'draft-', namespace }
    const dryRunResult = await core.createNamespacedConfigMap({
      namespace,
      dryRun: 'All',
      body: { metadata },
    })
    expect(dryRunResult.metadata?.name).toMatch(/^draft-/)
    expect(
      (
        await core.listNamespacedConfigMap({
          namespace,
          fieldSelector: `metadata.name=${dryRunResult.metadata?.name}`,
        })
      ).items,
    ).toEqual([])
    const pod = { metadata: { name: 'bad', namespace }, spec: { containers: [{ name: 'Main' }] } }
    expect(await statusOf(core.createNamespacedPod({ namespace, body: pod }))).toMatchObject({
      code: 422,
      details: {
        causes: expect.arrayContaining([expect.objectContaining({ field: 'spec.containers[0].image' })]),
      },
    })
  })

  it('runs pods, evicts them, and reads their events', async () => {
    await core.createNamespacedPod({
      namespace,
      body: { metadata: { name: 'runner', namespace }, spec: podTemplate('runner').spec },
    })
    await expect
      .poll(async () => (await core.readNamespacedPodStatus({ name: 'runner', namespace })).status?.phase, {
        timeout: 20_000,
      })
      .toBe('Running')
    const { items } = await core.listNamespacedEvent({
      namespace,
      fieldSelector: 'involvedObject.name=runner',
    })
    expect(items.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started']),
    )
    const eviction = { metadata: { name: 'runner', namespace } }
    await core.createNamespacedPodEviction({ name: 'runner', namespace, body: eviction })
    await expect
      .poll(
        async () =>
          (await core.listNamespacedPod({ namespace, fieldSelector: 'metadata.name=runner' })).items,
        {
          timeout: 20_000,
        },
      )
      .toEqual([])
  })
})

describe('apps', () => {
  it('rolls out, scales and restarts a Deployment', async () => {
    const body = {
      metadata: { name: 'web', namespace },
      spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: podTemplate('web') },
    }
    await apps.createNamespacedDeployment({ namespace, body })
    const readStatus = async () =>
      (await apps.readNamespacedDeploymentStatus({ name: 'web', namespace })).status
    await expect.poll(async () => (await readStatus())?.availableReplicas, { timeout: 20_000 }).toBe(1)

    const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace })
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=web' } })
    await apps.replaceNamespacedDeploymentScale({
      name: 'web',
      namespace,
      body: { ...scale, spec: { replicas: 2 } },
    })
    await expect.poll(async () => (await readStatus())?.availableReplicas, { timeout: 20_000 }).toBe(2)

    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:00Z' }
    const restart = { spec: { template: { metadata: { annotations } } } }
    await apps.patchNamespacedDeployment({ name: 'web', namespace, body: restart }, STRATEGIC)
    await expect.poll(async () => (await apps.listNamespacedReplicaSet({ namespace })).items.length).toBe(2)
    await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' })
    await expect
      .poll(async () => (await apps.listNamespacedReplicaSet({ namespace })).items.length, {
        timeout: 20_000,
      })
      .toBe(0)
  })
})

describe('other groups', () => {
  it('batch runs jobs', async () => {
    const batch = config.makeApiClient(BatchV1Api)
    const jobSpec = {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'busybox:1.36', command: ['true'] }],
        },
      },
    }
    await batch.createNamespacedJob({
      namespace,
      body: { metadata: { name: 'once', namespace }, spec: jobSpec },
    })
    await expect
      .poll(
        async () => (await batch.readNamespacedJobStatus({ name: 'once', namespace })).status?.succeeded,
        {
          timeout: 20_000,
        },
      )
      .toBe(1)
    const daily = {
      metadata: { name: 'daily', namespace },
      spec: { schedule: '@daily', jobTemplate: { spec: jobSpec } },
    }
    expect((await batch.createNamespacedCronJob({ namespace, body: daily })).spec?.concurrencyPolicy).toBe(
      'Allow',
    )
  })

  it('autoscaling and policy apply to workloads', async () => {
    const autoscaling = config.makeApiClient(AutoscalingV2Api)
    const scaler = {
      metadata: { name: 'web', namespace },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    }
    await autoscaling.createNamespacedHorizontalPodAutoscaler({ namespace, body: scaler })
    expect((await autoscaling.listHorizontalPodAutoscalerForAllNamespaces()).items).toMatchObject([
      { spec: { minReplicas: 1, metrics: [{ type: 'Resource', resource: { name: 'cpu' } }] } },
    ])
    const policy = config.makeApiClient(PolicyV1Api)
    const budget = { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } }
    await policy.createNamespacedPodDisruptionBudget({
      namespace,
      body: { metadata: { name: 'web', namespace }, spec: budget },
    })
    await expect
      .poll(
        async () => (await policy.readNamespacedPodDisruptionBudgetStatus({ name: 'web', namespace })).status,
      )
      .toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 })
  })

  it('networking, storage and coordination store their objects', async () => {
    const path = {
      path: '/',
      pathType: 'Prefix',
      backend: { service: { name: 'web', port: { number: 80 } } },
    }
    const ingress = { metadata: { name: 'web', namespace }, spec: { rules: [{ http: { paths: [path] } }] } }
    const networking = config.makeApiClient(NetworkingV1Api)
    expect(await networking.createNamespacedIngress({ namespace, body: ingress })).toMatchObject(ingress)

    const storageClass = { metadata: { name: 'slow' }, provisioner: 'example.com/slow' }
    expect(await config.makeApiClient(StorageV1Api).createStorageClass({ body: storageClass })).toMatchObject(
      {
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
      },
    )

    const coordination = config.makeApiClient(CoordinationV1Api)
    const lease = { holderIdentity: 'test', renewTime: new V1MicroTime('2030-01-02T03:04:05.678Z') }
    const created = await coordination.createNamespacedLease({
      namespace,
      body: { metadata: { name: 'chair', namespace }, spec: lease },
    })
    expect(created).toMatchObject({ spec: { renewTime: '2030-01-02T03:04:05.678000Z' } })
  })

  it('version returns the version', async () => {
    expect(await config.makeApiClient(VersionApi).getCode()).toMatchObject({ major: '1', minor: '32' })
  })
})
