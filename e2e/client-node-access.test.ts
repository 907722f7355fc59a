/** Tests authentication and authorisation with @kubernetes/client-node: certificates, tokens, roles and reviews. */
import {
  AuthenticationV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  Health,
  type KubeConfig,
  Metrics,
  RbacAuthorizationV1Api,
  topNodes,
  topPods,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientConfig, configWithToken } from './testing/client-config.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

const namespace = 'guarded'

let cluster: TestCluster
let admin: KubeConfig
let core: CoreV1Api
let token: string

beforeAll(async () => {
  cluster = await createTestCluster('client-node-access')
  admin = clientConfig(cluster)
  core = admin.makeApiClient(CoreV1Api)
  await core.createNamespace({ body: { metadata: { name: namespace } } })
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'clerk', namespace } } })
  const rbac = admin.makeApiClient(RbacAuthorizationV1Api)
  await rbac.createNamespacedRole({
    namespace,
    body: {
      metadata: { name: 'clerk', namespace },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['open'], verbs: ['get', 'update'] },
      ],
    },
  })
  await rbac.createNamespacedRoleBinding({
    namespace,
    body: {
      metadata: { name: 'clerk', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'clerk' },
      subjects: [{ kind: 'ServiceAccount', name: 'clerk', namespace }],
    },
  })
  for (const name of ['open', 'closed'])
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, namespace } } })
  const request = { spec: { audiences: [], expirationSeconds: 3600 } }
  const response = await core.createNamespacedServiceAccountToken({ name: 'clerk', namespace, body: request })
  token = response.status!.token!
})
afterAll(() => cluster?.close())

const whoIs = async (config: KubeConfig) =>
  (await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })).status?.userInfo

describe('identity', () => {
  it("comes from the administrator's token", async () => {
    expect(await whoIs(admin)).toMatchObject({ groups: expect.arrayContaining(['system:masters']) })
  })

  it('comes from a client certificate', async () => {
    const user = { username: 'gardener', groups: ['gardeners'] }
    const config = clientConfig(cluster, cluster.server.certificateKubeconfig(user))
    expect(await whoIs(config)).toMatchObject({
      username: 'gardener',
      groups: ['gardeners', 'system:authenticated'],
    })
    await expect(config.makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining('User \\"gardener\\" cannot list resource \\"nodes\\"'),
    })
  })

  it('comes from the token of a service account', async () => {
    expect(await whoIs(configWithToken(cluster, token))).toMatchObject({
      username: `system:serviceaccount:${namespace}:clerk`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    })
  })

  it('is rejected for an unknown token', async () => {
    await expect(whoIs(configWithToken(cluster, `${token}x`))).rejects.toMatchObject({ code: 401 })
  })

  it('can be impersonated with permission', async () => {
    const config = clientConfig(cluster)
    const username = `system:serviceaccount:${namespace}:clerk`
    const [user] = config.users
    config.users = [{ ...user!, impersonateUser: username }]
    expect(await whoIs(config)).toMatchObject({ username })
  })

  it('can be checked with a TokenReview', async () => {
    const authentication = admin.makeApiClient(AuthenticationV1Api)
    expect((await authentication.createTokenReview({ body: { spec: { token } } })).status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:clerk` },
    })
    expect(
      (await authentication.createTokenReview({ body: { spec: { token: 'none' } } })).status,
    ).toMatchObject({
      error: expect.any(String),
    })
  })
})

describe('rights', () => {
  it('come from roles, which can be limited to single objects', async () => {
    const clerk = configWithToken(cluster, token).makeApiClient(CoreV1Api)
    const open = await clerk.readNamespacedConfigMap({ name: 'open', namespace })
    await clerk.replaceNamespacedConfigMap({
      name: 'open',
      namespace,
      body: { ...open, data: { by: 'clerk' } },
    })
    for (const request of [
      clerk.readNamespacedConfigMap({ name: 'closed', namespace }),
      clerk.listNamespacedConfigMap({ namespace }),
      clerk.deleteNamespacedConfigMap({ name: 'open', namespace }),
      clerk.listNamespacedConfigMap({ namespace: 'default' }),
    ])
      await expect(request).rejects.toMatchObject({ code: 403 })
  })

  it('can be checked with access reviews', async () => {
    const clerk = configWithToken(cluster, token).makeApiClient(AuthorizationV1Api)
    const resourceAttributes = { namespace, verb: 'get', resource: 'configmaps', name: 'open' }
    const reviewAccess = async (attributes: object) =>
      (await clerk.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: attributes } } }))
        .status
    expect(await reviewAccess(resourceAttributes)).toMatchObject({
      allowed: true,
      reason: `RBAC: allowed by RoleBinding "clerk/${namespace}" of Role "clerk" to ServiceAccount "clerk/${namespace}"`,
    })
    expect(await reviewAccess({ ...resourceAttributes, name: 'closed' })).toMatchObject({ allowed: false })
    const rules = await clerk.createSelfSubjectRulesReview({ body: { spec: { namespace } } })
    expect(rules.status?.resourceRules).toContainEqual(
      expect.objectContaining({
        resources: ['configmaps'],
        resourceNames: ['open'],
        verbs: ['get', 'update'],
      }),
    )

    const authorization = admin.makeApiClient(AuthorizationV1Api)
    const spec = { user: `system:serviceaccount:${namespace}:clerk`, resourceAttributes }
    expect((await authorization.createSubjectAccessReview({ body: { spec } })).status?.allowed).toBe(true)
    const localReview = { metadata: { namespace }, spec: { ...spec, user: 'stranger' } }
    expect(
      (await authorization.createNamespacedLocalSubjectAccessReview({ namespace, body: localReview })).status,
    ).toMatchObject({
      allowed: false,
    })
  })

  it('end when the account is deleted', async () => {
    const body = { metadata: { name: 'temp', namespace } }
    await core.createNamespacedServiceAccount({ namespace, body })
    const request = { spec: { audiences: [], expirationSeconds: 3600 } }
    const { status } = await core.createNamespacedServiceAccountToken({
      name: 'temp',
      namespace,
      body: request,
    })
    expect(await whoIs(configWithToken(cluster, status!.token!))).toMatchObject({
      username: `system:serviceaccount:${namespace}:temp`,
    })
    await core.deleteNamespacedServiceAccount({ name: 'temp', namespace })
    await expect(whoIs(configWithToken(cluster, status!.token!))).rejects.toMatchObject({ code: 401 })
  })
})

describe('the server', () => {
  it('reports that it is healthy', async () => {
    const health = new Health(admin)
    expect(await Promise.all([health.readyz({}), health.livez({})])).toEqual([true, true])
  })

  it('reports the usage of nodes and pods', async () => {
    const resources = { requests: { cpu: '250m', memory: '64Mi' }, limits: { cpu: '500m', memory: '128Mi' } }
    await core.createNamespacedPod({
      namespace,
      body: {
        metadata: { name: 'worker', namespace },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', '600'], resources }],
        },
      },
    })
    const metrics = new Metrics(admin)
    await expect
      .poll(async () => (await metrics.getPodMetrics(namespace)).items, { timeout: 20_000 })
      .toMatchObject([
        {
          metadata: { name: 'worker', namespace },
          containers: [{ name: 'main', usage: { cpu: expect.any(String), memory: expect.any(String) } }],
        },
      ])
    expect((await metrics.getNodeMetrics()).items.map(({ metadata }) => metadata.name)).toEqual([
      'node1',
      'node2',
      'node3',
    ])
    const [pod] = await topPods(core, metrics, namespace)
    expect(pod).toMatchObject({ CPU: { RequestTotal: 0.25, LimitTotal: 0.5 } })
    expect(Number(pod?.Memory.CurrentUsage)).toBeGreaterThan(0)
    const nodes = await topNodes(core)
    expect(nodes.map(({ CPU }) => Number(CPU.RequestTotal)).sort()).toEqual([0, 0, 0.25])
  })
})
