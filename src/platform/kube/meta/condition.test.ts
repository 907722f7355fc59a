/** Tests of status conditions. */
import { describe, expect, it } from 'vitest'
import { setCondition } from './condition.ts'

const [T0, T1] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
const now = Date.parse(T1)
const otherCondition = { type: 'Other', status: 'True', lastTransitionTime: T0 }
const ready = { type: 'Ready', status: 'True', lastTransitionTime: T0, reason: 'Fine' }

describe('setCondition', () => {
  it('appends a condition of a new type', () => {
    expect(setCondition(undefined, { type: 'Ready', status: 'True' }, now)).toEqual([
      { type: 'Ready', status: 'True', lastTransitionTime: T1 },
    ])
    expect(setCondition([otherCondition], { type: 'Ready', status: 'True' }, now)[0]).toBe(otherCondition)
  })

  it('keeps position and transition time if the status is unchanged', () => {
    const next = { type: 'Ready', status: 'True', reason: 'Still', message: 'so' }
    const updated = setCondition([ready, otherCondition], next, now)
    expect(updated).toEqual([{ ...next, lastTransitionTime: T0 }, otherCondition])
    expect(Object.keys(updated[0]!)).toEqual(['type', 'status', 'lastTransitionTime', 'reason', 'message'])
  })

  it('updates the transition time if the status changes, and drops omitted members', () => {
    expect(setCondition([otherCondition, ready], { type: 'Ready', status: 'False' }, now)).toEqual([
      otherCondition,
      { type: 'Ready', status: 'False', lastTransitionTime: T1 },
    ])
  })
})
