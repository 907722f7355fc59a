/** Creates and removes the sandbox of a pod, with retries. */
import { type PodVolumes, type Sandbox, VolumeSetupError } from '#platform/kube/ports'
import type { PodWork } from './pod-work.ts'

/** The message of a runtime's error as it reaches the kubelet over gRPC. */
const toRpcError = ({ message }: Error): string => `rpc error: code = Unknown desc = ${message}`

/** Does nothing while the runtime is creating or removing the sandbox. */
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
        const message = `Failed to create pod sandbox: ${toRpcError(error)}`
        events.record(work.pod, 'Warning', 'FailedCreatePodSandBox', message)
      }
      if (work.stopping === undefined) work.resyncLater()
      else work.queueSync()
    }),
  )
  work.sandboxActivity = 'creating'
}

const recordFailedKill = ({ context, pod }: PodWork, error: Error): void => {
  const cause = `failed to "KillPodSandbox" for "${pod.metadata.uid}" with KillPodSandboxError: ${JSON.stringify(toRpcError(error))}`
  context.events.record(pod, 'Warning', 'FailedKillPod', `error killing pod: ${cause}`)
}

/** Calls `onRemoved` once the sandbox is removed. Does nothing while the runtime is creating or removing it. */
export const removeSandbox = (work: PodWork, sandbox: Sandbox, onRemoved: () => void): void => {
  if (work.sandboxActivity !== undefined) return
  work.context.runtime.removeSandbox(sandbox, (outcome) =>
    work.attempt(() => {
      work.sandboxActivity = undefined
      if (work.ended) return
      if (outcome.ok) return onRemoved()
      work.resyncLater()
      recordFailedKill(work, outcome.error)
    }),
  )
  work.sandboxActivity = 'removing'
}
