/** Tests that an assessment tells when journey runs cannot count yet. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { type Assessment, assess } from './assess.ts'
import { deployment, podFault, prepareRecord, type RecordBuilder, SHOP } from './testing/record-builder.ts'
import { createEpisodeView } from './view/create-episode-view.ts'

const assessRecord = ({ events }: RecordBuilder): Assessment => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault()]]))
  for (const event of events) view.add(event)
  return assess(view)
}

const withPods = (readyReplicas: number): ApiObject => ({
  ...deployment('stock'),
  status: { replicas: 1, observedGeneration: 1, updatedReplicas: 1, readyReplicas },
})

it('tells that runs cannot count while pods are missing: none of them counts later', () => {
  const record = prepareRecord()
    .replacePod('cart')
    .change(withPods(0))
    .after(100, { type: 'solver-ended', outcome: 'submitted' })
    .runJourneys(2500, {})
  expect(assessRecord(record)).toMatchObject({ state: 'undecided', areRunsPremature: true })
  record.after(50).change(withPods(1))
  const { state, missingRuns, areRunsPremature } = assessRecord(record)
  expect([state, areRunsPremature]).toEqual(['undecided', false])
  expect(missingRuns.get('buy')).toBeGreaterThanOrEqual(6)
  expect(assessRecord(record.runJourneys(2500, {})).state).toBe('resolved')
})
