/** Runs the contract suite of the KubeApi port in process, and tests the features of this transport. */
import { describe, expect, it } from 'vitest'
import { type ContainerRuntime, ExecNotStarted, type ExecOptions } from '#platform/kube/ports'
import type { VirtualCall } from '../reviews/virtual-resource.ts'
import { ADMIN, createTestService } from '../testing/create-test-api.ts'
import { describeKubeApi } from '../testing/kube-api-contract.ts'
import { runPod } from '../testing/run-pod.ts'
import { createInProcessApi } from './in-process-api.ts'
import { createInProcessDiscovery } from './in-process-discovery.ts'

const NOBODY = { username: 'nobody', groups: [] }
const MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: 'default' }

describeKubeApi('in process', async () => {
  const nodes = { runtimeOf: () => undefined }
  const { service, clock } = createTestService({
    allows: ({ user }) => user.username === ADMIN.username,
    frozen: false,
  })
  return {
    api: createInProcessApi(service, nodes, ADMIN),
    forbidden: createInProcessApi(service, nodes, NOBODY),
    settle: () => clock.advance(0),
  }
})

const createApiWithExec = (exec: (options: ExecOptions) => Promise<{ exitCode: number }>) => {
  const testService = createTestService({ allows: ({ user }) => user.username === ADMIN.username })
  const runtime = { exec: (_pod, _container, options) => exec(options) } as Partial<ContainerRuntime>
  const nodes = { runtimeOf: () => runtime as ContainerRuntime }
  return {
    ...testService,
    api: createInProcessApi(testService.service, nodes, ADMIN),
    nobody: createInProcessApi(testService.service, nodes, NOBODY),
  }
}

describe('the in-process API', () => {
  it('freezes the objects that it returns and delivers to watches', async () => {
    const { service, clock } = createTestService({ frozen: false })
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const delivered: object[] = []
    await api.watch(
      MAPS,
      {},
      ({ object }) => delivered.push(object.metadata),
      () => {},
    )
    const created = await api.create(MAPS, { metadata: { name: 'a' }, data: { a: '1' } })
    clock.advance(0)
    const { items } = await api.list(MAPS)
    expect([created.data, ...delivered, items[0]!.metadata].map(Object.isFrozen)).toEqual([true, true, true])
  })

  it('watches for longer than the default timeout of an hour', async () => {
    const { service, clock } = createTestService({ frozen: false })
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const delivered: string[] = []
    await api.watch(
      MAPS,
      {},
      ({ object }) => delivered.push(object.metadata.name),
      () => delivered.push('the end'),
    )
    clock.advance(24 * 3_600_000)
    await api.create(MAPS, { metadata: { name: 'a' } })
    clock.advance(0)
    expect(delivered).toEqual(['a'])
  })

  it('reads resources that are served but not stored, with authorisation', async () => {
    const { service } = createTestService({ allows: ({ user }) => user.username === ADMIN.username })
    const metrics = {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      plural: 'pods',
      singular: '',
      kind: 'PodMetrics',
      namespaced: true,
      verbs: ['get', 'list'] as const,
      serve: ({ verb, namespace, name, query }: VirtualCall) => {
        const object = { metadata: { namespace, name: name || query.get('labelSelector') } }
        return { code: 200, object: verb === 'get' ? object : { items: [object] } }
      },
    }
    const withMetrics = { ...service, virtual: [metrics] }
    const nodes = { runtimeOf: () => undefined }
    const [api, nobody] = [ADMIN, NOBODY].map((user) => createInProcessApi(withMetrics, nodes, user))
    const ref = { apiVersion: 'metrics.k8s.io/v1beta1', plural: 'pods', namespace: 'shop' }
    expect(await api!.get({ ...ref, name: 'cart-1' })).toEqual({
      metadata: { namespace: 'shop', name: 'cart-1' },
    })
    expect((await api!.list(ref, { labelSelector: 'app=cart' })).items).toEqual([
      { metadata: { namespace: 'shop', name: 'app=cart' } },
    ])
    await expect(nobody!.list(ref)).rejects.toMatchObject({ code: 403 })
    await expect(api!.delete({ ...ref, name: 'cart-1' })).rejects.toMatchObject({ code: 404 })
  })

  it('audits a copy of the request object', async () => {
    const { service, audit } = createTestService()
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const draft = { metadata: { name: 'a' }, data: { a: '1' } }
    await api.create(MAPS, draft, { dryRun: true })
    draft.data.a = 'changed'
    expect(audit.events()).toMatchObject([
      { requestURI: '/api/v1/namespaces/default/configmaps?dryRun=All', requestObject: { data: { a: '1' } } },
    ])
  })

  it('audits commands, including rejected ones', async () => {
    const failing = createApiWithExec(async () => ({ exitCode: 3 }))
    const ref = { namespace: 'default', name: 'p' }
    await expect(failing.api.exec(ref, ['true'])).rejects.toMatchObject({ code: 404 })
    runPod(failing.resources.client)
    expect(await failing.api.exec(ref, ['cat', '/a b'], { container: 'c' })).toMatchObject({ exitCode: 3 })
    await expect(failing.nobody.exec(ref, ['id'])).rejects.toMatchObject({ code: 403 })
    const records = failing.audit.events()
    expect(
      records.map(({ verb, user, responseStatus }) => [verb, user.username, responseStatus.code]),
    ).toEqual([
      ['create', 'admin', 404],
      ['create', 'admin', 101],
      ['create', 'nobody', 403],
    ])
    expect(records[1]).toMatchObject({
      requestURI:
        '/api/v1/namespaces/default/pods/p/exec?command=cat&command=%2Fa+b&container=c&stdin=false&stdout=true&stderr=true',
      objectRef: { resource: 'pods', namespace: 'default', name: 'p', subresource: 'exec' },
    })
  })

  it('returns exit code 126 for a program that cannot be started', async () => {
    const missing = createApiWithExec(() => Promise.reject(new ExecNotStarted('1', 'no such program')))
    runPod(missing.resources.client)
    expect(await missing.api.exec({ namespace: 'default', name: 'p' }, ['nope'])).toEqual({
      exitCode: 126,
      stdout: '',
      stderr:
        'failed to exec in container: failed to start exec "1": OCI runtime exec failed: no such program: unknown\n',
    })
  })

  it('stops a command when the signal aborts', async () => {
    let receivedSignal: AbortSignal | undefined
    const endless = createApiWithExec(({ signal }) => {
      receivedSignal = signal
      return new Promise(() => {})
    })
    runPod(endless.resources.client)
    const controller = new AbortController()
    const { signal } = controller
    const ref = { namespace: 'default', name: 'p' }
    const running = endless.api.exec(ref, ['sleep', '1000'], { signal })
    const cause = new Error('enough')
    controller.abort(cause)
    await expect(running).rejects.toBe(cause)
    expect(receivedSignal?.aborted).toBe(true)
    await expect(endless.api.exec(ref, ['true'], { signal })).rejects.toBe(cause)
  })

  it('rejects unknown fields on request', async () => {
    const { service } = createTestService()
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const draft = { metadata: { name: 'a' }, nonsense: 1 }
    await expect(api.create(MAPS, draft, { fieldValidation: 'Strict' })).rejects.toThrow(
      'unknown field "nonsense"',
    )
    expect(await api.create(MAPS, draft)).not.toHaveProperty('nonsense')
  })

  it('deletes an object only if the preconditions hold', async () => {
    const { service } = createTestService()
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const { metadata } = await api.create(MAPS, { metadata: { name: 'a' } })
    const ref = { ...MAPS, name: 'a' }
    await expect(api.delete(ref, { preconditions: { uid: 'another' } })).rejects.toMatchObject({ code: 409 })
    await api.delete(ref, { preconditions: { uid: String(metadata.uid) } })
    await expect(api.get(ref)).rejects.toMatchObject({ code: 404 })
  })

  it('evicts a pod with a grace period', async () => {
    const { api, resources } = createApiWithExec(async () => ({ exitCode: 0 }))
    runPod(resources.client)
    await api.evict({ namespace: 'default', name: 'p' }, { gracePeriodSeconds: 7 })
    const pod = await api.get({ apiVersion: 'v1', plural: 'pods', namespace: 'default', name: 'p' })
    expect(pod.metadata.deletionGracePeriodSeconds).toBe(7)
  })
})

describe('the in-process discovery', () => {
  it('lists resources as the discovery documents do, and prints tables', async () => {
    const { service } = createTestService()
    const discovery = createInProcessDiscovery(service)
    const resources = discovery.resources()
    expect(resources.find(({ plural, group }) => plural === 'deployments' && group === 'apps')).toMatchObject(
      {
        version: 'v1',
        singular: 'deployment',
        kind: 'Deployment',
        namespaced: true,
        shortNames: ['deploy'],
        categories: ['all'],
        subresources: ['scale', 'status'],
        isPreferred: true,
      },
    )
    expect(
      resources
        .filter(({ plural }) => plural === 'horizontalpodautoscalers')
        .map(({ version, isPreferred }) => [version, isPreferred]),
    ).toEqual([
      ['v2', true],
      ['v1', false],
    ])
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const map = await api.create(MAPS, { metadata: { name: 'a' }, data: { x: '1', y: '2' } })
    const { columns, rows } = discovery.table(MAPS, [map])
    expect(columns.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age'])
    expect(rows[0]!.slice(0, 2)).toEqual(['a', 2])
    expect(() => discovery.table({ ...MAPS, plural: 'nothing' }, [])).toThrow('v1 serves no nothing')
    expect(discovery.resources()).toBe(resources)
    service.core.directory.register('another', [])
    expect(discovery.resources()).not.toBe(resources)
  })
})
