import { describe, expect, it } from 'vitest'
import { putCondition } from './condition.ts'

const [T0, T1] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
const now = Date.parse(T1)
const others = { type: 'Other', status: 'True', lastTransitionTime: T0 }
const ready = { type: 'Ready', status: 'True', lastTransitionTime: T0, reason: 'Fine' }

describe('putCondition', () => {
  it('adds what is new at the end', () => {
    expect(putCondition(undefined, { type: 'Ready', status: 'True' }, now)).toEqual([
      { type: 'Ready', status: 'True', lastTransitionTime: T1 },
    ])
    expect(putCondition([others], { type: 'Ready', status: 'True' }, now)[0]).toBe(others)
  })

  it('keeps place and time while the status is the same', () => {
    const next = { type: 'Ready', status: 'True', reason: 'Still', message: 'so' }
    const put = putCondition([ready, others], next, now)
    expect(put).toEqual([{ ...next, lastTransitionTime: T0 }, others])
    expect(Object.keys(put[0]!)).toEqual(['type', 'status', 'lastTransitionTime', 'reason', 'message'])
  })

  it('notes when the status changes, and drops what is no longer said', () => {
    expect(putCondition([others, ready], { type: 'Ready', status: 'False' }, now)).toEqual([
      others,
      { type: 'Ready', status: 'False', lastTransitionTime: T1 },
    ])
  })
})
