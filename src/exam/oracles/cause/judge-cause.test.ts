/** Tests of causes that need a probe. */
import { expect, it } from 'vitest'
import type { EpisodeEvent, Fault } from '#spec'
import { POD_FAULT, podFault, prepareRecord, problem, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { judgeCause } from './judge-cause.ts'

const probedFault = podFault({
  name: 'hidden',
  probe: async () => ({}),
  isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
})
const FAULTS = new Map<string, Fault>([
  ['sick-pod', podFault()],
  ['hidden', probedFault],
])
const TWO_FAULTS = problem({ faults: [{ ...POD_FAULT, fault: 'hidden' }, POD_FAULT] })

const judgeEvents = (events: readonly EpisodeEvent[]) => {
  const view = createEpisodeView(SHOP, FAULTS)
  for (const event of events) view.add(event)
  return judgeCause(view)
}
const END = { type: 'solver-ended', outcome: 'submitted' } as const
const probeEvent = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const

it('reports a cause as unprobed if no probe followed the end of the solver and no other cause remains', () => {
  const repaired = prepareRecord(TWO_FAULTS).after(1, probeEvent(3)).replacePod('cart').after(1, END)
  expect(judgeEvents(repaired.events)).toMatchObject({ holds: false, isCertain: false, isUnprobed: true })
  expect(judgeEvents(repaired.after(1, probeEvent(3)).events)).toMatchObject({
    isCertain: true,
    isUnprobed: false,
  })
  expect(judgeEvents(repaired.after(1, probeEvent(0)).events)).toMatchObject({
    holds: true,
    isUnprobed: false,
  })
})

it('does not report a cause as unprobed if another cause remains', () => {
  const idle = prepareRecord(TWO_FAULTS).after(1, END)
  expect(judgeEvents(idle.events)).toMatchObject({ holds: false, isCertain: true, isUnprobed: false })
})
