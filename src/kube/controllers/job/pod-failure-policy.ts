/** What a Job's pod failure policy says about one failed pod. */
import type { Job, PodFailurePolicyRule } from 'kubernetes-types/batch/v1.d.ts'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'

interface Judgement {
  action: 'Count' | 'Ignore' | 'FailIndex' | 'FailJob'
  /** Why the Job or index fails. */
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

/** The first rule that matches decides; without one the failure counts. */
export const judgeFailure = (job: Stored<Job>, pod: Stored<Pod>): Judgement => {
  const { namespace, name } = pod.metadata
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const action = rule.action as Judgement['action']
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
