/** Tests on a simulated cluster that the fault stores the address of the cluster DNS. */
import { expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime } from '#platform/kube'
import type { FaultContext } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { fault } from './fault.ts'

const system = createSystemView(await loadSystem('simple-micro'))
const [target] = fault.targets(system)
const { namespace } = system

const injectWithDns = async (dnsAddresses: readonly string[]) => {
  const clock = createVirtualClock()
  const random = createRandom('dns')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({ run: () => ({}) }) }),
  })
  try {
    const api = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
    for (const clusterIP of dnsAddresses)
      await api.create(
        { apiVersion: 'v1', plural: 'services', namespace: 'kube-system' },
        { metadata: { name: 'kube-dns' }, spec: { clusterIP, ports: [{ port: 53 }] } },
      )
    await api.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: namespace } })
    const { manifest } = system.workloadOf(target!.service)
    await api.create({ apiVersion: 'apps/v1', plural: 'deployments', namespace }, structuredClone(manifest))
    clock.advance(10_000)
    const context = {
      api,
      system,
      target: target!,
      params: { by: 'nameserver' },
      share: 1,
      laboratory: 'laboratory',
      signal: new AbortController().signal,
      sleep: async (ms: number) => clock.advance(ms),
    } as unknown as FaultContext
    return await fault.inject(context)
  } finally {
    cluster.stop()
  }
}

it('stores the address of the cluster DNS, if there is one', async () => {
  expect(await injectWithDns(['10.96.0.10'])).toMatchObject({ dns: '10.96.0.10' })
  expect(await injectWithDns([])).not.toHaveProperty('dns')
})
