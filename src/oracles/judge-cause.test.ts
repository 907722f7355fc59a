/** What is said of causes that somebody has to look for. */
import { expect, it } from 'vitest'
import type { EpisodeEvent, Fault } from '../spec/index.ts'
import { createEpisodeView } from './create-episode-view.ts'
import { judgeCause } from './judge-cause.ts'
import { podFault, prepareRecord, problem, SHOP, SICK_POD } from './testing/record-builder.ts'

const lookedFor = podFault({
  name: 'hidden',
  probe: async () => ({}),
  isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
})
const FAULTS = new Map<string, Fault>([
  ['sick-pod', podFault()],
  ['hidden', lookedFor],
])
const BOTH = problem({ faults: [{ ...SICK_POD, fault: 'hidden' }, SICK_POD] })

const judged = (events: readonly EpisodeEvent[]) => {
  const view = createEpisodeView(SHOP, FAULTS)
  for (const event of events) view.add(event)
  return judgeCause(view)
}
const END = { type: 'solver-ended', outcome: 'submitted' } as const
const look = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const

it('is unseen where nobody has looked since the act, and nothing else is left', () => {
  const mended = prepareRecord(BOTH).after(1, look(3)).replacePod('cart').after(1, END)
  expect(judged(mended.events)).toMatchObject({ holds: false, isCertain: false, isUnseen: true })
  expect(judged(mended.after(1, look(3)).events)).toMatchObject({ isCertain: true, isUnseen: false })
  expect(judged(mended.after(1, look(0)).events)).toMatchObject({ holds: true, isUnseen: false })
})

it('is not unseen where another cause is there for all to see', () => {
  const idle = prepareRecord(BOTH).after(1, END)
  expect(judged(idle.events)).toMatchObject({ holds: false, isCertain: true, isUnseen: false })
})
