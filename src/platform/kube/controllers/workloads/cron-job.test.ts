/** Tests of the CronJob controller, with the Job controller and a fake node. */
import type { CronJob, CronJobSpec } from 'kubernetes-types/batch/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { cronJobs, jobs } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import { createTestCluster, type PodOutcome, type TestCluster } from '../testing/create-test-cluster.ts'
import { parseSchedule, toZonedTime } from './cron-job/parse-schedule.ts'
import { cronJobController } from './cron-job.ts'
import { jobController } from './job.ts'

const MINUTE = 60_000
const EPOCH_MINUTES = Date.UTC(2026, 0, 1) / MINUTE

const start = (
  spec: Partial<CronJobSpec>,
  outcome: PodOutcome = { exitCode: 0, afterMs: 1000 },
): TestCluster => {
  const cluster = createTestCluster([cronJobController, jobController])
  cluster.podOutcome = () => outcome
  cluster.client.create(cronJobs, {
    metadata: { name: 'cron', namespace: 'default' },
    spec: {
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      ...spec,
    },
  })
  return cluster
}

const cron = ({ client }: TestCluster): Stored<CronJob> => client.get(cronJobs, 'default', 'cron')!
const jobNames = ({ client }: TestCluster): string[] => client.list(jobs).map(({ metadata }) => metadata.name)
const jobNameAt = (minute: number): string => `cron-${EPOCH_MINUTES + minute}`

describe('a CronJob', () => {
  it('starts a Job at each scheduled time, names it by the minute and tracks it', () => {
    const cluster = start({})
    cluster.clock.advance(5 * MINUTE + 500)
    expect(jobNames(cluster)).toEqual([jobNameAt(5)])
    expect(cron(cluster).status).toMatchObject({
      active: [{ kind: 'Job', apiVersion: 'batch/v1', name: jobNameAt(5), namespace: 'default' }],
      lastScheduleTime: '2026-01-01T00:05:00Z',
    })
    expect(cluster.client.list(jobs)[0]!.metadata.annotations).toMatchObject({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:05:00Z',
    })
    cluster.clock.advance(MINUTE)
    expect(cron(cluster).status).toEqual({
      lastScheduleTime: '2026-01-01T00:05:00Z',
      lastSuccessfulTime: '2026-01-01T00:05:02Z',
    })
    expect(cluster.eventsOf('cron')).toEqual([
      `SuccessfulCreate: Created job ${jobNameAt(5)}`,
      `SawCompletedJob: Saw completed job: ${jobNameAt(5)}, condition: Complete`,
    ])
    expect(cluster.errors).toEqual([])
  })

  it('keeps no more finished Jobs than its limits', () => {
    const cluster = start({})
    cluster.clock.advance(27 * MINUTE)
    expect(jobNames(cluster)).toEqual([15, 20, 25].map(jobNameAt))
    expect(cluster.eventsOf('cron')).toContain(`SuccessfulDelete: Deleted job ${jobNameAt(5)}`)
  })

  it('does not start a second Job under Forbid, and replaces the first under Replace', () => {
    const forbidding = start({ concurrencyPolicy: 'Forbid' }, 'ready')
    forbidding.clock.advance(11 * MINUTE)
    expect(jobNames(forbidding)).toEqual([jobNameAt(5)])
    expect(forbidding.eventsOf('cron')).toContain(
      'JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    )
    const replacing = start({ concurrencyPolicy: 'Replace' }, 'ready')
    replacing.clock.advance(11 * MINUTE)
    expect(jobNames(replacing)).toEqual([jobNameAt(10)])
    expect(cron(replacing).status.active!.map(({ name }) => name)).toEqual([jobNameAt(10)])
  })

  it('starts no Job while suspended, and only the latest missed one afterwards', () => {
    const cluster = start({ suspend: true })
    cluster.clock.advance(12 * MINUTE)
    expect(jobNames(cluster)).toEqual([])
    cluster.client.update(cronJobs, { ...cron(cluster), spec: { ...cron(cluster).spec, suspend: false } })
    cluster.clock.advance(1000)
    expect(jobNames(cluster)).toEqual([jobNameAt(10)])
  })
})

describe('parseSchedule', () => {
  it('applies a time zone', () => {
    const schedule = parseSchedule('0 6 * * *', 'Europe/Berlin')
    expect(new Date(schedule.next(Date.UTC(2026, 6, 1))!).toISOString()).toBe('2026-07-01T04:00:00.000Z')
    expect(toZonedTime(Date.UTC(2026, 6, 1, 4), 'Europe/Berlin')).toBe('2026-07-01T06:00:00+02:00')
    expect(toZonedTime(Date.UTC(2026, 6, 1, 4), undefined)).toBe('2026-07-01T04:00:00Z')
  })

  it('finds the latest start time that has passed', () => {
    const schedule = parseSchedule('*/5 * * * *', undefined)
    const timeAt = (minute: number, second = 0): number => Date.UTC(2026, 0, 1, 0, minute, second)
    expect(schedule.latest(timeAt(5), timeAt(22, 30))).toBe(timeAt(20))
    expect(schedule.latest(timeAt(5), timeAt(20))).toBe(timeAt(20))
    expect(parseSchedule('@every 90s', undefined).latest(timeAt(0), timeAt(4))).toBe(timeAt(3))
  })

  it('rejects an invalid schedule', () => {
    expect(() => parseSchedule('sometimes', undefined)).toThrow()
    expect(() => parseSchedule('@every soon', undefined)).toThrow()
  })
})
