/** Of some causes more than one word is true, and each of them counts. */
import { expect, it } from 'vitest'
import type { Answers } from '../spec/index.ts'
import { prepareRecord, problem } from './testing/record-builder.ts'
import { finish, judge } from './testing/trial.ts'

const said = (answers: Answers) =>
  judge(
    finish(prepareRecord(problem({ task: 'analysis' })).after(5, { type: 'answers-given', answers })).events,
    {
      layer: 'network',
      otherLayers: ['virtualisation'],
      type: 'misconfiguration',
      otherTypes: ['network-storage-issue'],
    },
  )

it.each<[Answers, string]>([
  [{ layer: 'network', type: 'misconfiguration' }, 'resolved'],
  [{ layer: 'virtualisation', type: 'misconfiguration' }, 'resolved'],
  [{ layer: 'network', type: 'network-storage-issue' }, 'resolved'],
  [{ layer: 'hardware', type: 'network-storage-issue' }, 'unresolved'],
  [{ layer: 'network', type: 'code-defect' }, 'unresolved'],
  [{ layer: 'virtualisation' }, 'unresolved'],
])('%j is %s', (answers, outcome) => {
  expect(said(answers)).toMatchObject({ outcome })
})
