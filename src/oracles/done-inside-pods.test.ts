/** What an agent does inside pods leaves no mark on objects until a program has ended by it. */
import { describe, expect, it } from 'vitest'
import { assess } from './assess.ts'
import { createEpisodeView } from './create-episode-view.ts'
import { podFault, prepareRecord, type RecordBuilder, SHOP } from './testing/record-builder.ts'

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

const step = (action: string) =>
  ({
    type: 'step-taken',
    action,
    input: { command: 'kubectl exec cart-1 -- kill 1' },
    observation: '',
  }) as const
const look = (left: number) => ({ type: 'cause-probed', index: 0, facts: { left } }) as const
const endedBy = (action: string): RecordBuilder =>
  prepareRecord().after(1, step(action)).after(100, { type: 'solver-ended', outcome: 'submitted' })

describe('a cause inside pods', () => {
  it('is told to be left after a second where nobody has reached into them', () => {
    expect(stateOf(endedBy('get_logs').walks(1500, {}).after(1, look(3)))).toBe('unresolved')
  })

  it.each(['exec_shell', 'run_playbook'])(
    'is given the time that a program takes to end after %s',
    (action) => {
      const early = endedBy(action).walks(3000, {}).after(1, look(3))
      expect(stateOf(early)).toBe('undecided')
      const late = early.walks(4000, {})
      expect(stateOf(late.after(1, look(3)))).toBe('unresolved')
      expect(stateOf(late.after(1, look(0)))).toBe('resolved')
    },
  )
})
