/** Tests the leader election of a MySQL cluster. */
import { expect, test } from 'vitest'
import { decide, type MemberState, type View } from './election.ts'

const createMember = (ordinal: number, overrides: Partial<MemberState> = {}): MemberState => ({
  name: `db-${ordinal}`,
  leading: false,
  term: 1,
  alive: true,
  position: 5,
  labelled: false,
  ...overrides,
})

const createView = (self: MemberState, others: MemberState[], overrides: Partial<View> = {}): View => ({
  self,
  others,
  members: 3,
  leaderlessMs: Number.POSITIVE_INFINITY,
  uptimeMs: 5_000,
  mysqlSilentMs: 0,
  withoutQuorumMs: 0,
  ...overrides,
})

test('elects the member with the newest data, then the former leader, then the first member', () => {
  expect(decide(createView(createMember(0), [createMember(1), createMember(2)]))).toEqual({ lead: 2 })
  expect(decide(createView(createMember(1), [createMember(0), createMember(2)]))).toBe('wait')
  expect(decide(createView(createMember(2), [createMember(0), createMember(1, { position: 4 })]))).toBe(
    'wait',
  )
  expect(decide(createView(createMember(2, { position: 6 }), [createMember(0), createMember(1)]))).toEqual({
    lead: 2,
  })
  expect(decide(createView(createMember(2, { labelled: true }), [createMember(0), createMember(1)]))).toEqual(
    { lead: 2 },
  )
  expect(decide(createView(createMember(1), [createMember(0, { alive: false })]))).toEqual({ lead: 2 })
})

test('requires a quorum, and waits for all members at startup', () => {
  expect(decide(createView(createMember(0), []))).toBe('wait')
  expect(decide(createView(createMember(0), [], { members: 1 }))).toEqual({ lead: 2 })
  expect(decide(createView(createMember(0), [createMember(1)], { uptimeMs: 100 }))).toBe('wait')
  expect(decide(createView(createMember(0), [createMember(1), createMember(2)], { uptimeMs: 100 }))).toEqual({
    lead: 2,
  })
})

test('follows a leader while it answers; a leader without MySQL or a quorum resigns', () => {
  const leader = createMember(2, { leading: true })
  expect(decide(createView(createMember(0), [leader, createMember(1)]))).toEqual({ follow: 'db-2', term: 1 })
  expect(decide(createView(leader, [createMember(0), createMember(1)]))).toEqual({ lead: 1 })
  expect(
    decide(createView(leader, [createMember(0)], { mysqlSilentMs: 9_000, withoutQuorumMs: 9_000 })),
  ).toEqual({
    lead: 1,
  })
  expect(decide(createView(leader, [createMember(0)], { mysqlSilentMs: 10_000 }))).toBe('resign')
  expect(decide(createView(leader, [], { withoutQuorumMs: 10_000 }))).toBe('resign')
  const silent = createMember(2, { leading: true, alive: false })
  expect(decide(createView(createMember(0), [silent, createMember(1)], { leaderlessMs: 9_000 }))).toBe('wait')
  expect(decide(createView(createMember(0), [silent, createMember(1)], { leaderlessMs: 10_000 }))).toEqual({
    lead: 2,
  })
})

test('resolves two leaders in favour of the later term', () => {
  const former = createMember(0, { leading: true, term: 1 })
  const later = createMember(2, { leading: true, term: 2 })
  expect(decide(createView(former, [later]))).toEqual({ follow: 'db-2', term: 2 })
  expect(decide(createView(later, [former]))).toEqual({ lead: 2 })
  expect(decide(createView(createMember(1), [former, later]))).toEqual({ follow: 'db-2', term: 2 })
})
