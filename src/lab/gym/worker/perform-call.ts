/** Performs a call of the gym on a session. */
import { defined } from '#kit'
import type { Session } from './create-session.ts'
import type { CallInput, GymCalls } from './gym-job.ts'

export const performCall = async (
  session: Session,
  input: CallInput,
): Promise<GymCalls[CallInput['call']]['result']> => {
  if (input.call === 'step') return session.step(input.action)
  if (input.call === 'close') {
    await session.close()
    return null
  }
  const start = { problem: input.problem, seed: input.seed, ...defined({ record: input.record }) }
  if (input.call === 'reset') return session.reset(start)
  const { playbook, answers } = input
  return session.score({ ...start, playbook, answers })
}
