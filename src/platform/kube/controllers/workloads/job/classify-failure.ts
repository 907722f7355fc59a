/** Classifies the failure of a pod by the pod failure policy of its Job. */
import type { Job, PodFailurePolicyRule } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'

interface Classification {
  action: 'Count' | 'Ignore' | 'FailIndex' | 'FailJob'
  /** The reason why the Job or the index fails. */
  message?: string
}

const exitCodeMatch = (
  pod: Stored<Pod>,
  { onExitCodes }: PodFailurePolicyRule,
): { name: string; exitCode: number } | undefined => {
  if (onExitCodes === undefined) return undefined
  const { containerName, operator, values } = onExitCodes
  for (const { name, state } of [
    ...(pod.status.initContainerStatuses ?? []),
    ...(pod.status.containerStatuses ?? []),
  ]) {
    const exitCode = state?.terminated?.exitCode ?? 0
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) continue
    if (values.includes(exitCode) === (operator === 'In')) return { name, exitCode }
  }
  return undefined
}

const conditionMatch = (pod: Stored<Pod>, { onPodConditions }: PodFailurePolicyRule): string | undefined =>
  onPodConditions?.find((pattern) =>
    pod.status.conditions?.some(
      ({ type, status }) => type === pattern.type && status === (pattern.status ?? 'True'),
    ),
  )?.type

/** Applies the first matching rule; a failure that matches none counts against the back-off limit. */
export const classifyFailure = (job: Stored<Job>, pod: Stored<Pod>): Classification => {
  const { namespace, name } = pod.metadata
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const action = rule.action as Classification['action']
    const exit = exitCodeMatch(pod, rule)
    if (exit !== undefined) {
      const message = `Container ${exit.name} for pod ${namespace}/${name} failed with exit code ${exit.exitCode} matching ${action} rule at index ${index}`
      return { action, message }
    }
    const condition = conditionMatch(pod, rule)
    if (condition !== undefined) {
      return {
        action,
        message: `Pod ${namespace}/${name} has condition ${condition} matching ${action} rule at index ${index}`,
      }
    }
  }
  return { action: 'Count' }
}
