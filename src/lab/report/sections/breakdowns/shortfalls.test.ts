/** Tests that reasons for failure are counted only if they were measured. */
import { expect, it } from 'vitest'
import type { EpisodeResult } from '#spec'
import { exampleResult } from '../../testing/example-record.ts'
import { toShortfalls } from './shortfalls.ts'

const unresolvedEpisode = (judged: EpisodeResult['judged']) => ({
  result: exampleResult({ outcome: 'unresolved', judged }),
  answerMeasures: [],
  record: 'records/e1.jsonl',
})

it('counts users as not served only if that was measured', () => {
  const episodes = [
    unresolvedEpisode({ 'users-served': false, 'cause-gone': false }),
    unresolvedEpisode({ 'users-served': null, 'cause-gone': false }),
    unresolvedEpisode({ 'users-served': null, 'cause-gone': null }),
  ]
  expect(toShortfalls([episodes])).toEqual([
    { name: 'Users were not served', counts: [1] },
    { name: 'The cause was not removed', counts: [2] },
    { name: 'Not measured: whether users were served', counts: [2] },
    { name: 'Not measured: whether the cause was removed', counts: [1] },
  ])
})

it('counts void episodes by blame, and unsupported ones without blame', () => {
  const voidEpisode = (code: string) => ({
    ...unresolvedEpisode({}),
    result: exampleResult({ outcome: 'void', blame: 'harness', code }),
  })
  expect(toShortfalls([[voidEpisode('record-lost'), voidEpisode('unsupported')]])).toEqual([
    { name: 'Void, by blame: harness', counts: [1] },
    { name: 'Void: not supported by the engine', counts: [1] },
  ])
})

it('counts no reason for a resolved episode', () => {
  expect(toShortfalls([[{ ...unresolvedEpisode({}), result: exampleResult() }]])).toEqual([])
})
