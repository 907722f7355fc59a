/** Tests the metrics behind `kubectl top`. */
import { describe, expect, it } from 'vitest'
import { nodes } from '#platform/kube/kinds'
import { createNodeRegistry } from './node-registry.ts'
import { createTestNode } from './testing/create-test-node.ts'
import { nodeMetrics, podMetrics } from './usage-metrics.ts'

describe('usage metrics', () => {
  it('list the usage of running containers, and sum it up for the node', () => {
    const { client, clock, run, pod, runtime } = createTestNode({
      busy: { present: true, run: () => ({ usage: () => ({ cpu: 0.25, memory: 64 * 2 ** 20 }) }) },
    })
    const directory = createNodeRegistry()
    directory.add('node1', runtime)
    const containers = ['a', 'b'].map((name) => ({ name, image: 'busy' }))
    run('p', { containers })
    expect(podMetrics(directory, pod('p'), clock.now())).toBeUndefined()
    clock.advance(1000)
    const usage = { cpu: '250000000n', memory: '65536Ki' }
    expect(podMetrics(directory, pod('p'), clock.now())).toMatchObject({
      kind: 'PodMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: { name: 'p', namespace: 'default' },
      timestamp: '2026-11-15T00:00:01Z',
      window: '15s',
      containers: [
        { name: 'a', usage },
        { name: 'b', usage },
      ],
    })
    const node = client.get(nodes, '', 'node1')!
    expect(nodeMetrics(directory, node, [pod('p')], clock.now())).toMatchObject({
      kind: 'NodeMetrics',
      metadata: { name: 'node1' },
      usage: { cpu: '500000000n', memory: '131072Ki' },
    })
  })
})
