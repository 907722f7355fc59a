/** Makes the sandbox of a pod and takes it away again, as often as it takes. */
import { type PodVolumes, type Sandbox, VolumeSetupError } from '../ports/index.ts'
import type { PodWork } from './pod-work.ts'

/** How the runtime's errors reach the kubelet. */
const remote = ({ message }: Error): string => `rpc error: code = Unknown desc = ${message}`

/** Asks for the sandbox, unless that is under way. */
export const createSandbox = (work: PodWork, volumes: PodVolumes): void => {
  if (work.sandboxActivity !== undefined) return
  const { events, runtime } = work.context
  runtime.createSandbox(work.pod, volumes, (outcome) =>
    work.attempt(() => {
      work.sandboxActivity = undefined
      if (outcome.ok && work.ended) return runtime.removeSandbox(outcome.value, () => {})
      if (outcome.ok) {
        work.sandbox = outcome.value
        work.sandboxIsNew = true
        return work.queueSync()
      }
      const { error } = outcome
      if (error instanceof VolumeSetupError) events.record(work.pod, 'Warning', 'FailedMount', error.message)
      else {
        const message = `Failed to create pod sandbox: ${remote(error)}`
        events.record(work.pod, 'Warning', 'FailedCreatePodSandBox', message)
      }
      if (work.stopping === undefined) work.resyncLater()
      else work.queueSync()
    }),
  )
  work.sandboxActivity = 'creating'
}

const failedKill = ({ context, pod }: PodWork, error: Error): void => {
  const cause = `failed to "KillPodSandbox" for "${pod.metadata.uid}" with KillPodSandboxError: ${JSON.stringify(remote(error))}`
  context.events.record(pod, 'Warning', 'FailedKillPod', `error killing pod: ${cause}`)
}

/** Asks for its removal, unless something is under way; `onGone` follows when nothing is left of it. */
export const removeSandbox = (work: PodWork, sandbox: Sandbox, onGone: () => void): void => {
  if (work.sandboxActivity !== undefined) return
  work.context.runtime.removeSandbox(sandbox, (outcome) =>
    work.attempt(() => {
      work.sandboxActivity = undefined
      if (work.ended) return
      if (outcome.ok) return onGone()
      work.resyncLater()
      failedKill(work, outcome.error)
    }),
  )
  work.sandboxActivity = 'removing'
}
