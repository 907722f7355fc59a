/** A container cannot start: it crashes repeatedly, its image is missing, or its configuration is wrong. */
import { type AlertRule, defineAlertRule } from '../alert-rule.ts'

interface WaitingRule {
  readonly name: string
  /** Values of `state.waiting.reason` that raise the alert. */
  readonly reasons: readonly string[]
  readonly problem: string
}

const defineWaitingRule = ({ name, reasons, problem }: WaitingRule): AlertRule =>
  defineAlertRule({
    name,
    severity: 'page',
    *find({ pods }) {
      for (const { name: pod, service, containers, deleting } of pods) {
        if (deleting) continue
        for (const { name: container, waitingReason, waitingMessage = '' } of containers) {
          if (waitingReason === undefined || !reasons.includes(waitingReason)) continue
          const message = waitingMessage === '' ? '' : `: ${waitingMessage}`
          yield {
            labels: { service, pod, container, reason: waitingReason },
            summary: `Container ${container} of pod ${pod} ${problem}${message}`,
          }
        }
      }
    },
  })

export const podWaiting: readonly AlertRule[] = [
  defineWaitingRule({
    name: 'PodCrashLooping',
    reasons: ['CrashLoopBackOff'],
    problem: 'crashes repeatedly',
  }),
  defineWaitingRule({
    name: 'PodImagePullFailing',
    reasons: ['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName'],
    problem: 'has an image that cannot be pulled',
  }),
  defineWaitingRule({
    name: 'PodContainerNotStarting',
    reasons: ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
    problem: 'cannot be started',
  }),
]
