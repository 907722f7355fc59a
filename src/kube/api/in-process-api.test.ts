/** Runs the contract of the KubeApi port in process, and tests what only this transport could get wrong. */
import { describe, expect, it } from 'vitest'
import type { ContainerRuntime, ExecOptions } from '../ports/index.ts'
import { createInProcessApi } from './in-process-api.ts'
import { ADMIN, createTestService } from './testing/create-test-api.ts'
import { describeKubeApi } from './testing/kube-api-contract.ts'
import { runPod } from './testing/run-pod.ts'

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
    nobody: createInProcessApi(service, nodes, NOBODY),
    settle: () => clock.advance(0),
  }
})

const apiWith = (exec: (options: ExecOptions) => Promise<{ exitCode: number }>) => {
  const made = createTestService({ allows: ({ user }) => user.username === ADMIN.username })
  const runtime = { exec: (_pod, _container, options) => exec(options) } as Partial<ContainerRuntime>
  const nodes = { runtimeOf: () => runtime as ContainerRuntime }
  return {
    ...made,
    api: createInProcessApi(made.service, nodes, ADMIN),
    nobody: createInProcessApi(made.service, nodes, NOBODY),
  }
}

describe('the in-process API', () => {
  it('freezes what it gives, also what a watch tells', async () => {
    const { service, clock } = createTestService({ frozen: false })
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const told: object[] = []
    await api.watch(
      MAPS,
      {},
      ({ object }) => told.push(object.metadata),
      () => {},
    )
    const made = await api.create(MAPS, { metadata: { name: 'a' }, data: { a: '1' } })
    clock.advance(0)
    const { items } = await api.list(MAPS)
    expect([made.data, ...told, items[0]!.metadata].map(Object.isFrozen)).toEqual([true, true, true])
  })

  it('watches for longer than the hour after which a server ends what it is not asked to keep', async () => {
    const { service, clock } = createTestService({ frozen: false })
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const told: string[] = []
    await api.watch(
      MAPS,
      {},
      ({ object }) => told.push(object.metadata.name),
      () => told.push('the end'),
    )
    clock.advance(24 * 3_600_000)
    await api.create(MAPS, { metadata: { name: 'a' } })
    clock.advance(0)
    expect(told).toEqual(['a'])
  })

  it('records what was asked for then, whatever becomes of the object of the caller', async () => {
    const { service, audit } = createTestService()
    const api = createInProcessApi(service, { runtimeOf: () => undefined }, ADMIN)
    const mine = { metadata: { name: 'a' }, data: { a: '1' } }
    await api.create(MAPS, mine, { dryRun: true })
    mine.data.a = 'changed'
    expect(audit.events()).toMatchObject([
      { requestURI: '/api/v1/namespaces/default/configmaps?dryRun=All', requestObject: { data: { a: '1' } } },
    ])
  })

  it('records commands, and those that were refused', async () => {
    const made = apiWith(async () => ({ exitCode: 3 }))
    const ref = { namespace: 'default', name: 'p' }
    await expect(made.api.exec(ref, ['true'])).rejects.toMatchObject({ code: 404 })
    runPod(made.resources.client)
    expect(await made.api.exec(ref, ['cat', '/a b'], { container: 'c' })).toMatchObject({ exitCode: 3 })
    await expect(made.nobody.exec(ref, ['id'])).rejects.toMatchObject({ code: 403 })
    const records = made.audit.events()
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

  it('ends a command when it is told to', async () => {
    let given: AbortSignal | undefined
    const made = apiWith(({ signal }) => {
      given = signal
      return new Promise(() => {})
    })
    runPod(made.resources.client)
    const controller = new AbortController()
    const { signal } = controller
    const ref = { namespace: 'default', name: 'p' }
    const running = made.api.exec(ref, ['sleep', '1000'], { signal })
    const why = new Error('enough')
    controller.abort(why)
    await expect(running).rejects.toBe(why)
    expect(given?.aborted).toBe(true)
    await expect(made.api.exec(ref, ['true'], { signal })).rejects.toBe(why)
  })
})
