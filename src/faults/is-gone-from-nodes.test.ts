/** Proves of causes on nodes that other right answers count as well, and that half of one does not. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { loadSystem } from '../systems/index.ts'
import { isGone, withContainer } from './ask-is-gone.ts'
import { loadFault } from './index.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))

describe('batch work that takes the nodes', () => {
  const { podSpec } = boutique.workloadOf('cartservice')
  const wanted = Number.parseInt(podSpec.containers[0]!.resources!.requests!.cpu!, 10)
  const asked = {
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
    ['left', false, [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970)]],
    ['a thousandth smaller', false, [shard('report-0', 'n0', 7969), shard('report-1', 'n1', 7969)]],
    ['as small as needed', true, [shard('report-0', 'n0', 7970), shard('report-1', 'n1', 7970 - wanted)]],
    ['scaled to nothing', true, [shard('report-0', 'n0', 7970, 0), shard('report-1', 'n1', 7970, 0)]],
    ['made again by another name', false, [shard('more', undefined, 7970)]],
  ])('is %s: %s', async (_what, holds, newcomers) => {
    const now = withContainer(boutique, 'cartservice', (container) => {
      container.resources = { requests: { cpu: '1m' } }
    })
    expect(await isGone(asked, [...now, ...newcomers])).toBe(holds)
  })
})

describe('a node that is sick', () => {
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
  const hidden = { ...pod('nobody', 'n1'), metadata: { name: 'checkoutservice-1' } }
  const asked = {
    fault: 'network-partition',
    system: boutique,
    state: { node: 'n1', pods: ['checkoutservice-1'] },
    target: { service: 'checkoutservice', peer: 'cartservice' },
  }
  it.each<[string, boolean, readonly ApiObject[]]>([
    [
      'emptied of those who suffer',
      true,
      [cordoned, pod('checkoutservice', 'n2'), pod('emailservice', 'n1')],
    ],
    ['left by all but one that was evicted', true, [cordoned, pod('checkoutservice', 'n1', 'Failed')]],
    ['left by all but one that is done', true, [cordoned, pod('checkoutservice', 'n1', 'Succeeded')]],
    ['left by the target alone', false, [cordoned, pod('checkoutservice', 'n2'), pod('frontend', 'n1')]],
    ['cordoned only', false, [cordoned, pod('checkoutservice', 'n1')]],
    ['left, and may be come back to', false, [node('n1', {}), pod('checkoutservice', 'n2')]],
    ['where one hides who suffered', false, [cordoned, pod('checkoutservice', 'n2'), hidden]],
  ])('is %s: %s', async (_what, holds, now) => {
    expect(await isGone(asked, now)).toBe(holds)
  })

  it('makes culprits of all who suffer there, and of all who may before it is known where it is', async () => {
    const fault = await loadFault('node-disk-sick')
    const about = { system: boutique, target: { service: 'shippingservice' }, params: {} }
    const services = ['adservice', 'emailservice']
    expect(fault.culprits!({ ...about, state: { node: 'n1', services } })).toEqual([
      'shippingservice',
      ...services,
    ])
    expect(fault.culprits!(about)).toContain('frontend')
    expect(fault.culprits!(about)).not.toContain('redis-cart')
  })
})
