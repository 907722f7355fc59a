/** Tests that faults on nodes also accept correct fixes other than the reference fix, but no partial fixes. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { loadFault } from './index.ts'
import { isGone, withContainer } from './testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))

describe('batch work that reserves the nodes', () => {
  const { podSpec } = boutique.workloadOf('cartservice')
  const requestedMilli = Number.parseInt(podSpec.containers[0]!.resources!.requests!.cpu!, 10)
  const goneCase = {
    fault: 'node-pressure',
    system: boutique,
    target: { service: 'cartservice' },
    params: { spare: 20 },
    state: { shards: [0, 1].map((index) => ({ name: `report-${index}`, node: `n${index}`, cpu: 7970 })) },
  }
  const shard = (name: string, node: string | undefined, cpu: number, replicas = 1): ApiObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      template: {
        spec: {
          ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
          containers: [{ name: 'report', image: 'a', resources: { requests: { cpu: `${cpu}m` } } }],
        },
      },
    },
  })
  it.each<[string, boolean, ApiObject[]]>([
    ['deleted', true, []],
    ['unchanged', false, [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970)]],
    ['smaller by one millicore', false, [shard('report-0', 'n0', 7969), shard('report-1', 'n1', 7969)]],
    [
      'as small as needed',
      true,
      [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970 - requestedMilli)],
    ],
    ['scaled to zero', true, [shard('report-0', 'n0', 7970, 0), shard('report-1', 'n1', 7970, 0)]],
    ['recreated with another name', false, [shard('more', undefined, 7970)]],
  ])('is no longer a fault if %s: %s', async (_description, holds, workloads) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { requests: { cpu: '1m' } }
    })
    expect(await isGone(goneCase, [...now, ...workloads])).toBe(holds)
  })
})

describe('a degraded node', () => {
  const node = (name: string, spec: object): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec,
  })
  const pod = (app: string, nodeName: string, phase = 'Running'): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: app, labels: { app } },
    spec: { nodeName, containers: [] },
    status: { phase },
  })
  const cordoned = node('n1', { unschedulable: true })
  const unlabelledPod = { ...pod('nobody', 'n1'), metadata: { name: 'checkoutservice-1' } }
  const goneCase = {
    fault: 'network-partition',
    system: boutique,
    state: { node: 'n1', pods: ['checkoutservice-1'] },
    target: { service: 'checkoutservice', peer: 'cartservice' },
  }
  it.each<[string, boolean, readonly ApiObject[]]>([
    ['drained of affected pods', true, [cordoned, pod('checkoutservice', 'n2'), pod('emailservice', 'n1')]],
    ['drained of all but an evicted pod', true, [cordoned, pod('checkoutservice', 'n1', 'Failed')]],
    ['drained of all but a finished pod', true, [cordoned, pod('checkoutservice', 'n1', 'Succeeded')]],
    ['drained of the target alone', false, [cordoned, pod('checkoutservice', 'n2'), pod('frontend', 'n1')]],
    ['only cordoned', false, [cordoned, pod('checkoutservice', 'n1')]],
    ['drained, but not cordoned', false, [node('n1', {}), pod('checkoutservice', 'n2')]],
    [
      'drained of all but a pod without its label',
      false,
      [cordoned, pod('checkoutservice', 'n2'), unlabelledPod],
    ],
  ])('is no longer a fault if %s: %s', async (_description, holds, now) => {
    expect(await isGone(goneCase, now)).toBe(holds)
  })

  it('has all affected services as culprits; before the injection, all that may be affected', async () => {
    const fault = await loadFault('node-disk-sick')
    const faultCase = { system: boutique, target: { service: 'shippingservice' }, params: {} }
    const services = ['adservice', 'emailservice']
    expect(fault.culprits!({ ...faultCase, state: { node: 'n1', services } })).toEqual([
      'shippingservice',
      ...services,
    ])
    expect(fault.culprits!(faultCase)).toContain('frontend')
    expect(fault.culprits!(faultCase)).not.toContain('redis-cart')
  })
})
