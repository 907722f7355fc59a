/** Tests of the defaults and validation of Jobs and CronJobs. */
import { describe, expect, it } from 'vitest'
import { cloneJson } from '#kit'
import { createObject, errorsOf, errorsOnCreate, errorsOnUpdate } from '../testing/kind-errors.ts'
import { cronJobs } from './cron-job.ts'
import { jobs } from './job.ts'

const POD = { containers: [{ name: 'c', image: 'busybox:1' }] }

describe('Job', () => {
  const validSpec = { template: { spec: { ...POD, restartPolicy: 'Never' } } }

  it('generates labels and a selector', () => {
    const job = createObject(jobs, validSpec)
    const labels = {
      'batch.kubernetes.io/controller-uid': 'u-1',
      'batch.kubernetes.io/job-name': 'web',
      'controller-uid': 'u-1',
      'job-name': 'web',
    }
    expect(job.spec.template.metadata).toEqual({ creationTimestamp: null, labels })
    expect(job.metadata.labels).toEqual(labels)
    expect(job.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } })
  })

  it('rejects restartPolicy Always and invalid counts', () => {
    expect(errorsOnCreate(jobs, { template: { spec: POD } })).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ])
    expect(
      errorsOnCreate(jobs, { ...validSpec, backoffLimit: -1, completionMode: 'Indexed', parallelism: 2 }),
    ).toEqual([
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.completions: Required value: when completion mode is Indexed',
    ])
  })

  it('rejects conflicting labels and a missing manual selector', () => {
    const template = { ...validSpec.template, metadata: { labels: { 'job-name': 'other' } } }
    expect(errorsOnCreate(jobs, { template })).toEqual([
      'spec.template.metadata.labels[job-name]: Invalid value: map[string]string{"batch.kubernetes.io/controller-uid":"u-1", "batch.kubernetes.io/job-name":"web", "controller-uid":"u-1", "job-name":"other"}: must be \'web\'',
    ])
    expect(errorsOnCreate(jobs, { ...validSpec, manualSelector: true })).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
    ])
  })

  it('rejects changes to completions and template; Indexed Jobs can scale both counts together', () => {
    expect(errorsOnUpdate(jobs, validSpec, { parallelism: 3, backoffLimit: 1, suspend: true })).toEqual([])
    expect(errorsOnUpdate(jobs, validSpec, { completions: 3 })).toEqual([
      'spec.completions: Invalid value: 3: field is immutable',
    ])
    const template = cloneJson(createObject(jobs, validSpec).spec.template)
    template.spec.containers[0].image = 'busybox:2'
    expect(errorsOnUpdate(jobs, validSpec, { template })[0]).toMatch(
      /^spec\.template: Invalid value: core\.PodTemplateSpec\{.*\}: field is immutable$/,
    )
    const elastic = { ...validSpec, completionMode: 'Indexed', completions: 2, parallelism: 2 }
    expect(errorsOnUpdate(jobs, elastic, { completions: 3, parallelism: 3 })).toEqual([])
    expect(errorsOnUpdate(jobs, elastic, { completions: 3 })).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ])
  })
})

describe('CronJob', () => {
  const jobTemplate = { spec: { template: { spec: { ...POD, restartPolicy: 'OnFailure' } } } }
  const errorsForSchedule = (schedule: string, fields: object = {}) =>
    errorsOnCreate(cronJobs, { schedule, jobTemplate, ...fields })

  it('accepts valid schedules', () => {
    const schedules = ['*/5 * * * *', '0 0 1,15 * mon-fri', '@hourly', '@every 1h30m', '5/10 0-6 ? JAN *']
    for (const schedule of schedules) expect(errorsForSchedule(schedule), schedule).toEqual([])
  })

  it.each([
    ['', 'Required value'],
    ['* * * *', 'Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'Invalid value: "* * 0 * *": beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1'],
    [
      'x * * * *',
      'Invalid value: "x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    ],
    ['*/0 * * * *', 'Invalid value: "*/0 * * * *": step of range should be a positive number: */0'],
    ['@never', 'Invalid value: "@never": unrecognized descriptor: @never'],
  ])('rejects the schedule %j', (schedule, message) => {
    expect(errorsForSchedule(schedule)).toEqual([`spec.schedule: ${message}`])
  })

  it('rejects a time zone in the schedule, and unknown time zones', () => {
    expect(errorsForSchedule('TZ=UTC * * * * *')).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ])
    expect(errorsForSchedule('* * * * *', { timeZone: 'Europe/Berlin' })).toEqual([])
    expect(errorsForSchedule('* * * * *', { timeZone: 'Mars/Base' })).toEqual([
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ])
  })

  it('rejects a long name and an unknown concurrency policy', () => {
    const name = 'a'.repeat(53)
    const object = createObject(
      cronJobs,
      { schedule: '* * * * *', jobTemplate, concurrencyPolicy: 'Some' },
      name,
    )
    expect(errorsOf(cronJobs, object)).toEqual([
      'spec.concurrencyPolicy: Unsupported value: "Some": supported values: "Allow", "Forbid", "Replace"',
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ])
  })
})
