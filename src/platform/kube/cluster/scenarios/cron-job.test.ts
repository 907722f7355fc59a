/** Tests a CronJob over one day of cluster time. */
import { expect, it } from 'vitest'
import { cronJobs, jobs, pods } from '#platform/kube/kinds'
import { conditionTexts, createScenario } from '../testing/create-scenario.ts'

it('a CronJob runs every hour, fails once, and keeps Jobs within its history limits', () => {
  let runs = 0
  const run = () => {
    runs += 1
    const failed = runs === 20
    return { exit: { afterMs: 5000, exitCode: failed ? 1 : 0, reason: failed ? 'Error' : 'Completed' } }
  }
  const { client, advanceSeconds, eventsOf } = createScenario({
    images: { 'report:1': { present: true, run } },
  })
  client.create(cronJobs, {
    metadata: { name: 'report', namespace: 'default' },
    spec: {
      schedule: '0 * * * *',
      jobTemplate: {
        spec: {
          backoffLimit: 0,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'report:1' }] } },
        },
      },
    },
  } as never)
  advanceSeconds(24 * 3600)
  expect(runs).toBe(24)
  const cronJob = client.get(cronJobs, 'default', 'report')!
  expect(cronJob.status).toEqual({
    lastScheduleTime: '2026-01-02T00:00:00Z',
    lastSuccessfulTime: '2026-01-02T00:00:05Z',
  })
  const keptJobs = client.list(jobs)
  expect(keptJobs.map(({ status }) => [status.succeeded ?? 0, status.failed ?? 0])).toEqual([
    [0, 1],
    [1, 0],
    [1, 0],
    [1, 0],
  ])
  expect(
    client
      .list(pods)
      .map(({ status }) => status.phase)
      .sort(),
  ).toEqual(['Failed', 'Succeeded', 'Succeeded', 'Succeeded'])
  const [failed, , , last] = keptJobs
  expect(conditionTexts(failed!)).toEqual([
    'FailureTarget True BackoffLimitExceeded: Job has reached the specified backoff limit',
    'Failed True BackoffLimitExceeded: Job has reached the specified backoff limit',
  ])
  expect(conditionTexts(last!)).toEqual([
    'SuccessCriteriaMet True CompletionsReached: Reached expected number of succeeded pods',
    'Complete True CompletionsReached: Reached expected number of succeeded pods',
  ])
  expect(eventsOf(cronJob).slice(-3)).toEqual([
    `Normal SuccessfulCreate: Created job ${last!.metadata.name}`,
    `Normal SawCompletedJob: Saw completed job: ${last!.metadata.name}, condition: Complete`,
    expect.stringMatching(/^Normal SuccessfulDelete: Deleted job report-\d+$/),
  ])
})
