/** A session in a process that was forked at its incident: it plays one episode. */
import type { ForkedIncident } from '#lab/workers'
import { createSession } from './create-session.ts'
import type { CallInput, GymJob } from './gym-job.ts'
import { performCall } from './perform-call.ts'

export const playForkedSession = ({
  setup: job,
  ...tools
}: ForkedIncident<GymJob>): ((input: unknown) => Promise<unknown>) => {
  // The process is killed instead.
  const { signal } = new AbortController()
  const session = createSession({ job, signal, ...tools })
  return (input) => performCall(session, input as CallInput)
}
