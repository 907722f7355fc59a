/** kubectl rollout status: prints the progress until the rollout ends. */
import type { ApiObject } from '#spec'
import { type Found, objectRef } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { waitForObject } from '../client/wait-for-object.ts'
import { rolloutState } from './rollout-status.ts'

export const watchRollout = async (call: KubectlCall, found: Found): Promise<void> => {
  const { flags } = call
  const timeout = flags.duration('timeout') ?? 0
  let last = ''
  let failure: unknown
  const look = (object: ApiObject | undefined): boolean => {
    try {
      if (object === undefined) throw new KubectlError('error: object has been deleted')
      const { message, isDone } = rolloutState(object)
      if (message !== last) call.out(message)
      last = message
      return isDone || !flags.bool('watch', true)
    } catch (error) {
      failure = error
      return true
    }
  }
  const isDone = await waitForObject(
    call,
    objectRef(found),
    look,
    timeout <= 0 ? Number.POSITIVE_INFINITY : timeout,
  )
  if (failure !== undefined) throw failure
  if (!isDone) throw new KubectlError('error: timed out waiting for the condition')
}
