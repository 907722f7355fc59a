/** Tests Ansible on workloads: waiting, scaling, JSON patches, rollbacks, and kubectl in a shell task. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { play, serverMessage, type TaskReports } from './testing/play.ts'
import { createTestCluster, type TestCluster } from './testing/test-cluster.ts'

let cluster: TestCluster
let report: TaskReports

beforeAll(async () => {
  cluster = await createTestCluster('ansible-workloads')
  report = await play(cluster, 'workloads.yml')
}, 180_000)
afterAll(() => cluster?.close())

const NAMESPACE = 'default'
const read = (plural: string, name: string, apiVersion = 'apps/v1') =>
  cluster.api.get({ apiVersion, plural, namespace: NAMESPACE, name })
const listPods = async (app: string) => {
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
  return (await cluster.api.list(pods, { labelSelector: `app=${app}` })).items
}

describe('a Deployment', () => {
  it('is available when its task returns', () => {
    expect(report('a deployment')).toMatchObject({
      changed: true,
      method: 'create',
      result: { status: { availableReplicas: 1, observedGeneration: 1 } },
    })
    expect(report('the deployment, unchanged').changed).toBe(false)
  })

  it('merges containers by name, and rolls out the change', () => {
    const { changed, result } = report('the deployment with a variable')
    expect(changed).toBe(true)
    expect(result.metadata.annotations['deployment.kubernetes.io/revision']).toBe('2')
    expect(result.spec.template.spec.containers).toMatchObject([
      { name: 'main', command: ['sleep', '100000'], env: [{ name: 'STONE', value: 'granite' }] },
    ])
    expect(result.status).toMatchObject({ updatedReplicas: 1, availableReplicas: 1 })
  })

  it('is found once a condition holds', () => {
    const [found] = report('info on the available deployment').resources
    expect(found.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }),
    )
  })

  it('accepts JSON patches, and rejects one whose test fails', () => {
    expect(report('a JSON patch')).toMatchObject({
      changed: true,
      result: { metadata: { labels: { ground: 'fine' } }, status: { availableReplicas: 2 } },
    })
    const rejected = report('a JSON patch whose test fails')
    expect(rejected).toMatchObject({ failed: true, status: 422, reason: 'Unprocessable Entity' })
    expect(serverMessage(rejected)).toContain(
      'the server rejected our request due to an error in our request',
    )
  })

  it('scales, unless the current number differs from the expected one', () => {
    expect(report('scale')).toMatchObject({ changed: true, result: { status: { availableReplicas: 3 } } })
    expect(report('scale to the current number').changed).toBe(false)
    expect(report('scale with a wrong current number').warning).toBe(
      'current replicas 7 does not match with actual 3 for object kind=Deployment name=mill namespace=default.',
    )
    expect(report('scale by label')).toMatchObject({
      changed: true,
      result: { status: { availableReplicas: 1 } },
    })
    expect(serverMessage(report('scale a missing deployment'))).toContain(
      'deployments.apps "nowhere" not found',
    )
  })

  it('rolls back, and pauses', async () => {
    expect(report('roll back').changed).toBe(true)
    expect(report('pause')).toMatchObject({ changed: true, method: 'update' })
    const mill = await read('deployments', 'mill')
    expect(mill).toMatchObject({
      metadata: { annotations: { 'deployment.kubernetes.io/revision': '3' } },
      spec: { paused: true, replicas: 1 },
    })
    expect(JSON.stringify(mill.spec)).not.toContain('STONE')
  })

  it('times out if it never becomes ready', () => {
    expect(report('a deployment that never becomes ready')).toMatchObject({
      failed: true,
      msg: '"Deployment" "ghost": Timed out waiting on resource',
    })
  })
})

describe('other workloads', () => {
  it('are ready when their tasks return', () => {
    expect(report('a StatefulSet').result.status).toMatchObject({ readyReplicas: 2, updatedReplicas: 2 })
    expect(report('a DaemonSet').result.status).toMatchObject({ numberReady: 3 })
    expect(report('a job').result.status).toMatchObject({ succeeded: 1 })
  })

  it('roll back', async () => {
    expect(report('the DaemonSet, changed').result.status).toMatchObject({
      updatedNumberScheduled: 3,
    })
    expect(report('roll back the DaemonSet').changed).toBe(true)
    const { spec, metadata } = await read('daemonsets', 'watchman')
    expect(metadata.generation).toBe(3)
    expect(JSON.stringify(spec)).not.toContain('LAMP')
  })

  it('scale', async () => {
    expect(report('scale a job').result.spec.parallelism).toBe(2)
    expect(await read('jobs', 'sowing', 'batch/v1')).toMatchObject({
      spec: { parallelism: 2, suspend: true },
    })
  })

  it('get their defaults', () => {
    expect(report('a CronJob').result.spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      suspend: false,
    })
  })

  it('are removed at once without a grace period', () => {
    expect(report('delete a pod without a grace period')).toMatchObject({ changed: true, duration: 0 })
  })

  it('are deleted with their dependents, or without', async () => {
    expect(report('delete a deployment with its dependents').changed).toBe(true)
    expect(await listPods('ghost')).toEqual([])
    expect(report('delete a StatefulSet without its pods').changed).toBe(true)
    const orphans = await listPods('store')
    expect(orphans.map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual([
      ['store-0', undefined],
      ['store-1', undefined],
    ])
  })
})

describe('kubectl in a shell task', () => {
  it('uses the same cluster', () => {
    const { stdout_lines: lines } = report('kubectl in a shell task')
    expect(lines).toEqual(
      expect.arrayContaining(['deployment.apps/mill', 'REVISION  CHANGE-CAUSE', '3         <none>']),
    )
  })
})
