/** Tests that an account of a solver cannot tell how often the laboratory wrote to objects that the account must not see. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import type { EngineCluster, KubeApi } from '#spec'
import { createAgentAccounts, openAgentAccess } from './agent-access.ts'

const NAMESPACE = 'little'
const LABORATORY = 'laboratory'
const CONFIG_MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
const NETWORK_CHAOS = { apiVersion: 'chaos-mesh.org/v1alpha1', plural: 'networkchaos', namespace: LABORATORY }

const pod = (name: string): object => ({
  metadata: { name, labels: { app: name } },
  spec: { nodeName: 'node1', containers: [{ name: 'c', image: 'i:1' }] },
})

/** A fault as the laboratory injects it. */
const injectFault = (admin: KubeApi): Promise<unknown> =>
  admin.create(NETWORK_CHAOS, {
    kind: 'NetworkChaos',
    metadata: { name: 'delay' },
    spec: {
      action: 'delay',
      mode: 'all',
      selector: { namespaces: [NAMESPACE], labelSelectors: { app: 'web' } },
      delay: { latency: '1ms' },
    },
  })

/** What the account reads before and after the laboratory did something, and after the same writes of its own. */
const readAround = async (act: (admin: KubeApi) => Promise<unknown>): Promise<unknown[]> => {
  const clock = createVirtualClock()
  const random = createRandom('hidden')
  const cluster = createCluster({
    clock,
    random,
    // The controller of faults writes the progress to its objects.
    faults: {
      apply: (_, reply) =>
        reply({ ok: true, value: { recover: (done) => done({ ok: true, value: undefined }) } }),
    },
    runtimeFor: (_, nodeIndex) =>
      createSimulatedRuntime({ clock, random: createRandom('runtime'), nodeIndex, images: () => ({}) }),
  })
  clock.advance(60_000)
  const admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  for (const name of [NAMESPACE, LABORATORY])
    await admin.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name } })
  await createAgentAccounts(admin, NAMESPACE)
  clock.advance(1000)
  await admin.create(PODS, pod('web'))
  clock.advance(10_000)
  const engine = {
    api: admin,
    accessAs: ({ namespace, name }: { namespace: string; name: string }) => ({
      api: cluster.apiFor({
        username: `system:serviceaccount:${namespace}:${name}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      }),
    }),
  } as unknown as EngineCluster
  const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
  const seen: unknown[] = []
  const read = async (): Promise<void> => {
    seen.push((await api.list(PODS)).resourceVersion)
    seen.push(await api.get({ ...CONFIG_MAPS, name: 'kube-root-ca.crt' }).then(({ metadata }) => metadata))
    const { items } = await api.list({ apiVersion: 'v1', plural: 'events', namespace: NAMESPACE })
    seen.push(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
  }
  await read()
  await act(admin)
  clock.advance(8000)
  await read()
  seen.push((await api.create(CONFIG_MAPS, { metadata: { name: 'mine' } })).metadata.resourceVersion)
  await api.create(PODS, pod('mine'))
  clock.advance(10_000)
  await read()
  cluster.stop()
  return seen
}

it('reads the same versions and names of events with a fault that it cannot see as with a control', async () => {
  const chaosWrites: string[] = []
  const withFault = await readAround(async (admin) => {
    await admin.watch(
      NETWORK_CHAOS,
      {},
      ({ type }) => void chaosWrites.push(type),
      () => {},
    )
    await injectFault(admin)
  })
  expect(chaosWrites.length).toBeGreaterThan(1)
  expect(withFault).toEqual(await readAround(async () => {}))
})
