/** The node itself: its registration, heartbeat and silence. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { leases, nodes } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
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
    const said = (one: Stored<Node>) =>
      one.status.conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    expect(said(node)).toEqual(said(expected))
    expect(Object.keys(node.status).sort()).toEqual(Object.keys(expected.status).sort())
    expect(Object.keys(node.status.nodeInfo ?? {})).toEqual(Object.keys(expected.status.nodeInfo ?? {}))
  })

  it('renews its lease every ten seconds until it is made to fall silent', () => {
    const { client, clock, kubelet, run, pod } = createTestNode()
    const renewed = () => client.get(leases, 'kube-node-lease', 'node1')?.spec.renewTime
    clock.advance(60_000)
    expect(renewed()).toBe('2026-11-15T00:01:00.000000Z')
    kubelet.setHealthy(false)
    run('p', {})
    clock.advance(60_000)
    expect(renewed()).toBe('2026-11-15T00:01:00.000000Z')
    expect(pod('p').status.conditions).toBeUndefined()
    kubelet.setHealthy(true)
    clock.advance(5000)
    expect(renewed()).toBe('2026-11-15T00:02:00.000000Z')
    expect(pod('p').status.phase).toBe('Running')
  })

  it('tells of pressure', () => {
    const { client, kubelet, eventsOf } = createTestNode()
    kubelet.setPressure('DiskPressure', true)
    const condition = client.get(nodes, '', 'node1')?.status.conditions?.[1]
    expect(condition).toMatchObject({ status: 'True', reason: 'KubeletHasDiskPressure' })
    expect(eventsOf('node1')).toContain(
      'Normal NodeHasDiskPressure Node node1 status is now: NodeHasDiskPressure',
    )
  })
})
