/** Tests of the line that counts episodes. */
import { expect, it } from 'vitest'
import type { EpisodeResult } from '#spec'
import { createEpisodeCounts } from './episode-counts.ts'

const toResult = (outcome: EpisodeResult['outcome']): EpisodeResult => ({ outcome }) as EpisodeResult

it('counts the results of earlier sessions, but estimates the time from this session alone', () => {
  let now = 0
  const counts = createEpisodeCounts(() => now)
  counts.start({ planned: 10, finished: (['resolved', 'unresolved', 'void'] as const).map(toResult) })
  expect(counts.toLine()).toBe('3/10  ·  1 resolved (50 %)  ·  1 void  ·  0:00')
  now = 10_000
  counts.add({ finished: 4, result: toResult('resolved') })
  expect(counts.toLine()).toBe('4/10  ·  2 resolved (67 %)  ·  1 void  ·  0:10  ·  about 1:00 left')
})
