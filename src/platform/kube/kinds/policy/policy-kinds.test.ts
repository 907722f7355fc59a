/** Tests limit ranges, quotas and priority classes. */
import type { LimitRange, LimitRangeItem, ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { limitRanges } from './limit-range.ts'
import { priorityClasses } from './priority-class.ts'
import { resourceQuotas } from './resource-quota.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }

describe('LimitRange', () => {
  const range = (item: Partial<LimitRangeItem>): Stored<LimitRange> => {
    const draft: Stored<LimitRange> = { ...base, spec: { limits: [{ type: 'Container', ...item }] } }
    limitRanges.defaults!(draft)
    return draft
  }

  it('derives default limits and requests', () => {
    expect(range({ max: { cpu: '2' }, min: { memory: '1Mi' } }).spec.limits[0]).toMatchObject({
      default: { cpu: '2' },
      defaultRequest: { cpu: '2', memory: '1Mi' },
    })
  })

  it('rejects amounts that contradict each other', () => {
    const object = range({ min: { cpu: '500m' }, max: { cpu: '200m' }, default: { cpu: '300m' } })
    expect(errorTexts(limitRanges.validate!(object, undefined))).toEqual([
      'spec.limits[0].min[cpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}: min value 500m is greater than max value 200m',
      expect.stringContaining('spec.limits[0].defaultRequest[cpu]: Invalid value: '),
      expect.stringContaining('default request value 300m is greater than max value 200m'),
      expect.stringContaining('min value 500m is greater than default value 300m'),
      expect.stringContaining('default value 300m is greater than max value 200m'),
    ])
  })

  it('rejects defaults for type Pod', () => {
    expect(
      errorTexts(limitRanges.validate!(range({ type: 'Pod', default: { cpu: '1' } }), undefined)),
    ).toEqual(["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"])
  })
})

describe('ResourceQuota', () => {
  const quota = (hard: Record<string, string>): Stored<ResourceQuota> => ({
    ...base,
    spec: { hard },
    status: { hard, used: { pods: '1' } },
  })

  it('rejects unknown resources and negative amounts', () => {
    expect(
      errorTexts(
        resourceQuotas.validate!(
          quota({ pods: '1', 'requests.cpu': '2', 'count/jobs.batch': '1' }),
          undefined,
        ),
      ),
    ).toEqual([])
    expect(errorTexts(resourceQuotas.validate!(quota({ socks: '1', pods: '-1' }), undefined))).toEqual([
      'spec.hard[socks]: Invalid value: "socks": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ])
  })

  it('prints used and hard amounts', () => {
    const row = resourceQuotas.row(quota({ pods: '4', 'limits.cpu': '2' }), {
      now: Date.parse('2026-01-01T00:01:00Z'),
    })
    expect(row).toEqual(['x', '60s', 'pods: 1/4', 'limits.cpu: 0/2'])
  })
})

describe('PriorityClass', () => {
  const priority = (name: string, value: number): Stored<PriorityClass> => ({
    ...base,
    metadata: { ...metadata, name },
    value,
    preemptionPolicy: 'Never',
  })

  it('reserves high priorities and system- names, and has an immutable value', () => {
    expect(errorTexts(priorityClasses.validate!(priority('a', 2e9), undefined))).toEqual([
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ])
    expect(priorityClasses.validate!(priority('system-node-critical', 2_000_001_000), undefined)).toEqual([])
    expect(errorTexts(priorityClasses.validate!(priority('system-mine', 1), undefined))).toEqual([
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ])
    expect(errorTexts(priorityClasses.validate!(priority('a', 2), priority('a', 1)))).toEqual([
      'value: Invalid value: 2: field is immutable',
    ])
  })
})
