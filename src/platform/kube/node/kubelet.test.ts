/** Tests the registration and the heartbeat of the node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { leases, nodes } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestNode } from './testing/create-test-node.ts'

describe('the node', () => {
  it('is registered as the real kubelet registers it', () => {
    const { client } = createTestNode()
    const node = client.get(nodes, '', 'node1')!
    const expected = JSON.parse(
      readFileSync(join(import.meta.dirname, 'fixtures/node.json'), 'utf8'),
    ) as Stored<Node>
    expect(node.metadata.labels).toEqual(expected.metadata.labels)
    expect(node.status.addresses).toEqual(expected.status.addresses)
    const conditionsOf = (node: Stored<Node>) =>
      node.status.conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    expect(conditionsOf(node)).toEqual(conditionsOf(expected))
    expect(Object.keys(node.status).sort()).toEqual(Object.keys(expected.status).sort())
    expect(Object.keys(node.status.nodeInfo ?? {})).toEqual(Object.keys(expected.status.nodeInfo ?? {}))
  })

  it('renews its lease every ten seconds while it is healthy', () => {
    const { client, clock, kubelet, run, pod } = createTestNode()
    const readRenewTime = () => client.get(leases, 'kube-node-lease', 'node1')?.spec.renewTime
    clock.advance(60_000)
    expect(readRenewTime()).toBe('2026-11-15T00:01:00.000000Z')
    kubelet.setHealthy(false)
    run('p', {})
    clock.advance(60_000)
    expect(readRenewTime()).toBe('2026-11-15T00:01:00.000000Z')
    expect(pod('p').status.conditions).toBeUndefined()
    kubelet.setHealthy(true)
    clock.advance(5000)
    expect(readRenewTime()).toBe('2026-11-15T00:02:00.000000Z')
    expect(pod('p').status.phase).toBe('Running')
  })

  it('reports pressure as a condition and an event', () => {
    const { client, kubelet, eventsOf } = createTestNode()
    kubelet.setPressure('DiskPressure', true)
    const condition = client.get(nodes, '', 'node1')?.status.conditions?.[1]
    expect(condition).toMatchObject({ status: 'True', reason: 'KubeletHasDiskPressure' })
    expect(eventsOf('node1')).toContain(
      'Normal NodeHasDiskPressure Node node1 status is now: NodeHasDiskPressure',
    )
  })
})
