/** Tests of the metrics of answers in reports. */
import { expect, it } from 'vitest'
import { NO_METRICS } from '#spec'
import { toAnswerMeasures } from './answer-measures.ts'

it('lists the times and the rank of the answers that were given', () => {
  expect(toAnswerMeasures({ ...NO_METRICS, timeToLocalise: 50, timeToAnalyse: 70, rank: 0 })).toEqual([
    ['Localised after', '50\u00a0ms'],
    ['Analysed after', '70\u00a0ms'],
    ['Rank of the culprit', '0'],
  ])
  expect(toAnswerMeasures(NO_METRICS)).toEqual([])
})
