/** Tests the Ansible modules for nodes: k8s_taint and k8s_drain. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

let cluster: TestCluster
let report: TaskReports

beforeAll(async () => {
  cluster = await createTestCluster('ansible-nodes')
  report = await play(cluster, 'nodes.yml')
})
afterAll(() => cluster?.close())

const getNode = (name: string) => cluster.api.get({ apiVersion: 'v1', plural: 'nodes', name })
const listAppsOn = async (name: string) => {
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }
  const { items } = await cluster.api.list(pods, { fieldSelector: `spec.nodeName=${name}` })
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => (metadata.labels as { app: string }).app)
}

describe('k8s_taint', () => {
  it('adds, replaces and removes taints', async () => {
    expect(report('add a taint')).toMatchObject({
      changed: true,
      result: { spec: { taints: [{ key: 'wet', value: 'yes', effect: 'NoSchedule' }] } },
    })
    expect(report('add the same taint again').changed).toBe(false)
    expect(report('replace the taints').changed).toBe(true)
    expect(report('remove the taints').changed).toBe(true)
    expect((await getNode('node1')).spec).not.toHaveProperty('taints')
  })

  it('reports nodes that do not exist', () => {
    expect(report('add a taint to a missing node')).toMatchObject({
      failed: true,
      msg: "Node 'nowhere' has not been found.",
    })
  })
})

describe('k8s_drain', () => {
  it('cordons and uncordons', () => {
    expect(report('cordon')).toMatchObject({ changed: true, result: 'node node2 marked unschedulable.' })
    expect(report('cordon again')).toMatchObject({
      changed: false,
      result: 'node node2 already marked unschedulable.',
    })
    expect(report('uncordon')).toMatchObject({ changed: true, result: 'node node2 marked schedulable.' })
  })

  it('refuses to delete pods of DaemonSets by default', () => {
    expect(report('drain a node with a DaemonSet pod').msg).toContain(
      'cannot delete DaemonSet-managed Pods (use option ignore_daemonset set to yes): default/daemon-',
    )
  })

  it('evicts pods from the drained node', async () => {
    expect(report('drain')).toMatchObject({
      changed: true,
      result: 'node node3 marked unschedulable. 1 Pod(s) deleted from node.',
    })
    expect(await getNode('node3')).toMatchObject({
      spec: {
        unschedulable: true,
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
      },
    })
    expect(await listAppsOn('node3')).toEqual(['daemon'])
  })

  it('respects disruption budgets, unless eviction is disabled', async () => {
    expect(report('drain by eviction')).toMatchObject({ failed: true })
    expect(report('drain by eviction').msg).toMatch(
      /^Failed to delete pod default\/crew-\S+ due to: Too Many Requests$/,
    )
    expect(report('drain by deletion').changed).toBe(true)
    expect(await listAppsOn('node2')).toEqual(['daemon'])
  })
})
