/** Tests that a verdict waits for the effects of commands inside pods, which objects show with a delay. */
import { describe, expect, it } from 'vitest'
import type { ActionReach } from '#spec'
import { assess } from '../assess.ts'
import { podFault, prepareRecord, type RecordBuilder, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'

const FAULTS = new Map([
  [
    'sick-pod',
    podFault({
      probe: async () => ({}),
      isGone: ({ facts }) => ({ holds: facts.left === 0, evidence: `${facts.left} left` }),
    }),
  ],
])

const stateOf = ({ events }: RecordBuilder) => {
  const view = createEpisodeView(SHOP, FAULTS)
  for (const event of events) view.add(event)
  return assess(view).state
}

const stepEvent = (reach: ActionReach) =>
  ({
    type: 'step-taken',
    action: 'some_action',
    reach,
    input: { command: 'kubectl exec cart-1 -- kill 1' },
    observation: '',
  }) as const
const probeEvent = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
const recordWithStep = (reach: ActionReach): RecordBuilder =>
  prepareRecord().after(1, stepEvent(reach)).after(100, { type: 'solver-ended', outcome: 'submitted' })

describe('a cause inside pods', () => {
  it.each(['nothing', 'objects'] as const)(
    'counts as remaining after a second if the steps reached %s',
    (reach) => {
      expect(stateOf(recordWithStep(reach).runJourneys(1500, {}).after(1, probeEvent(3)))).toBe('unresolved')
    },
  )

  it('is undecided until programs have had time to end, if a step reached into pods', () => {
    const early = recordWithStep('pods').runJourneys(3000, {}).after(1, probeEvent(3))
    expect(stateOf(early)).toBe('undecided')
    const late = early.runJourneys(4000, {})
    expect(stateOf(late.after(1, probeEvent(3)))).toBe('unresolved')
    expect(stateOf(late.after(1, probeEvent(0)))).toBe('resolved')
  })
})
