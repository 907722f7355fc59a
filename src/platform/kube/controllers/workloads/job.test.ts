/** Tests of the Job and TTL-after-finished controllers on a fake node. */
import type { Job, JobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { jobs, pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { ttlAfterFinishedController } from '../cleanup/ttl-after-finished.ts'
import { createTestCluster, type PodOutcome, type TestCluster } from '../testing/create-test-cluster.ts'
import { formatIndexes, parseIndexes } from './job/index-list.ts'
import { jobController } from './job.ts'

const start = (
  spec: Partial<JobSpec>,
  outcome: PodOutcome | ((namePrefix: string) => PodOutcome) = { exitCode: 0, afterMs: 1000 },
) => {
  const cluster = createTestCluster([jobController, ttlAfterFinishedController])
  cluster.podOutcome = (pod) =>
    typeof outcome === 'function' ? outcome(pod.metadata.generateName!) : outcome
  cluster.client.create(jobs, {
    metadata: { name: 'job', namespace: 'default' },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'c', image: 'i' }],
          terminationGracePeriodSeconds: 1,
        },
      },
      ...spec,
    },
  })
  return cluster
}

const job = ({ client }: TestCluster): Stored<Job> => client.get(jobs, 'default', 'job')!
const conditions = (cluster: TestCluster): string[] =>
  (job(cluster).status.conditions ?? []).map(({ type, status, reason }) => `${type} ${status} ${reason}`)
const updateSpec = (cluster: TestCluster, spec: Partial<JobSpec>): void => {
  const stored = job(cluster)
  cluster.client.update(jobs, { ...stored, spec: { ...stored.spec, ...spec } })
}

describe('a successful Job', () => {
  it('ends with the status, conditions and events of a real cluster', () => {
    const cluster = start({})
    cluster.clock.advance(500)
    const [pod] = cluster.client.list(pods)
    expect(pod!.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking'])
    expect(job(cluster).status).toMatchObject({ active: 1, ready: 0, terminating: 0 })
    cluster.clock.advance(5000)
    const end = { lastProbeTime: '2026-01-01T00:00:02Z', lastTransitionTime: '2026-01-01T00:00:02Z' }
    const cause = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    expect(job(cluster).status).toEqual({
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True', ...end, ...cause },
        { type: 'Complete', status: 'True', ...end, ...cause },
      ],
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:00:02Z',
      succeeded: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
      ready: 0,
    })
    expect(cluster.client.list(pods)[0]!.metadata.finalizers).toBeUndefined()
    expect(cluster.eventsOf('job')).toEqual([
      `SuccessfulCreate: Created pod: ${pod!.metadata.name}`,
      'Completed: Job completed',
    ])
    expect(cluster.errors).toEqual([])
  })

  it('never exceeds its parallelism', () => {
    const cluster = start({ completions: 5, parallelism: 2 })
    for (let step = 0; step < 100; step += 1) {
      cluster.clock.advance(100)
      expect(job(cluster).status.active ?? 0).toBeLessThanOrEqual(2)
    }
    expect(job(cluster).status.succeeded).toBe(5)
    expect(cluster.client.list(pods)).toHaveLength(5)
  })

  it('is deleted after ttlSecondsAfterFinished', () => {
    const cluster = start({ ttlSecondsAfterFinished: 10 })
    cluster.clock.advance(11_000)
    expect(job(cluster).metadata.deletionTimestamp).toBeUndefined()
    cluster.clock.advance(2000)
    const remaining = cluster.client.get(jobs, 'default', 'job')
    expect(remaining === undefined || remaining.metadata.deletionTimestamp !== undefined).toBe(true)
  })
})

describe('a failing Job', () => {
  it('retries after 10, 20 ... seconds and fails at the back-off limit', () => {
    const cluster = start({ backoffLimit: 2 }, { exitCode: 1, afterMs: 1000 })
    cluster.clock.advance(11_000)
    expect(cluster.client.list(pods)).toHaveLength(1)
    cluster.clock.advance(2000)
    expect(cluster.client.list(pods)).toHaveLength(2)
    cluster.clock.advance(18_000)
    expect(cluster.client.list(pods)).toHaveLength(2)
    cluster.clock.advance(30_000)
    expect(cluster.client.list(pods)).toHaveLength(3)
    expect(job(cluster).status).toMatchObject({ failed: 3, terminating: 0 })
    expect(conditions(cluster)).toEqual([
      'FailureTarget True BackoffLimitExceeded',
      'Failed True BackoffLimitExceeded',
    ])
    expect(cluster.eventsOf('job').at(-1)).toBe(
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    )
  })

  it('stops at its deadline, and fails once its pods are deleted', () => {
    const cluster = start({ activeDeadlineSeconds: 5 }, 'ready')
    cluster.clock.advance(5200)
    expect(conditions(cluster)).toEqual(['FailureTarget True DeadlineExceeded'])
    expect(job(cluster).status.terminating).toBe(1)
    cluster.clock.advance(5000)
    expect(conditions(cluster)).toEqual([
      'FailureTarget True DeadlineExceeded',
      'Failed True DeadlineExceeded',
    ])
    expect(job(cluster).status).toMatchObject({ failed: 1 })
    expect(cluster.client.list(pods)).toEqual([])
  })

  it('applies its pod failure policy', () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }]
    const cluster = start(
      { podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' },
      { exitCode: 42, afterMs: 10 },
    )
    cluster.clock.advance(5000)
    expect(conditions(cluster).at(-1)).toBe('Failed True PodFailurePolicy')
    const [pod] = cluster.client.list(pods)
    expect(job(cluster).status.conditions!.at(-1)!.message).toBe(
      `Container c for pod default/${pod!.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    )
  })
})

describe('an Indexed Job', () => {
  it('assigns an index to each pod', () => {
    const cluster = start({ completionMode: 'Indexed', completions: 3, parallelism: 3 })
    cluster.clock.advance(500)
    const pod = cluster.client.list(pods)[1]!
    expect(pod.metadata.generateName).toBe('job-1-')
    expect(pod.metadata.annotations!['batch.kubernetes.io/job-completion-index']).toBe('1')
    expect(pod.metadata.labels!['batch.kubernetes.io/job-completion-index']).toBe('1')
    expect(pod.spec.hostname).toBe('job-1')
    expect(pod.spec.containers[0]!.env![0]).toMatchObject({
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
    })
    cluster.clock.advance(5000)
    expect(job(cluster).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' })
  })

  it('limits failures per index', () => {
    const cluster = start(
      { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1 },
      (prefix) => ({ exitCode: prefix === 'job-1-' ? 1 : 0, afterMs: 100 }),
    )
    cluster.clock.advance(60_000)
    expect(job(cluster).status).toMatchObject({
      succeeded: 2,
      failed: 2,
      completedIndexes: '0,2',
      failedIndexes: '1',
    })
    expect(conditions(cluster).at(-1)).toBe('Failed True FailedIndexes')
  })

  it('succeeds as soon as its success policy matches', () => {
    const cluster = start(
      {
        completionMode: 'Indexed',
        completions: 3,
        parallelism: 3,
        successPolicy: { rules: [{ succeededIndexes: '0' }] },
      },
      (prefix) => (prefix === 'job-0-' ? { exitCode: 0, afterMs: 100 } : 'ready'),
    )
    cluster.clock.advance(10_000)
    expect(conditions(cluster)).toEqual([
      'SuccessCriteriaMet True SuccessPolicy',
      'Complete True SuccessPolicy',
    ])
    expect(job(cluster).status).toMatchObject({ succeeded: 1, completedIndexes: '0' })
    expect(job(cluster).status.failed).toBeUndefined()
  })
})

it('formats and parses lists of indexes with ranges', () => {
  expect(formatIndexes(new Set([7, 0, 2, 3, 4, 9, 10]))).toBe('0,2-4,7,9,10')
  expect([...parseIndexes('0,2-4,7')]).toEqual([0, 2, 3, 4, 7])
})

it('does not count the deleted pods of a suspended Job', () => {
  const cluster = start({}, { exitCode: 0, afterMs: 5000 })
  cluster.clock.advance(2000)
  updateSpec(cluster, { suspend: true })
  cluster.clock.advance(3000)
  expect(cluster.client.list(pods)).toEqual([])
  expect(conditions(cluster)).toEqual(['Suspended True JobSuspended'])
  expect(job(cluster).status.failed).toBeUndefined()
  updateSpec(cluster, { suspend: false })
  cluster.clock.advance(10_000)
  expect(conditions(cluster)).toEqual([
    'Suspended False JobResumed',
    'SuccessCriteriaMet True CompletionsReached',
    'Complete True CompletionsReached',
  ])
  expect(job(cluster).status.startTime).toBe('2026-01-01T00:00:05Z')
  expect(cluster.eventsOf('job')).toEqual(
    expect.arrayContaining(['Suspended: Job suspended', 'Resumed: Job resumed']),
  )
})

it('removes the finalizer from the pods of a deleted Job', () => {
  const cluster = start({}, 'ready')
  cluster.clock.advance(3000)
  cluster.client.delete(jobs, 'default', 'job', { propagation: 'Background' })
  cluster.clock.advance(1000)
  expect(cluster.client.list(pods)[0]!.metadata.finalizers).toBeUndefined()
})
