/** A container does not come up: its image is missing, its configuration is wrong, or it crashes again and again. */
import { type AlertRule, defineAlertRule } from '../alert-rule.ts'

const ruleFor = (name: string, reasons: readonly string[], say: (pod: string) => string): AlertRule =>
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
            summary: `${say(pod)}${message}`,
          }
        }
      }
    },
  })

export const podWaiting: readonly AlertRule[] = [
  ruleFor('PodCrashLooping', ['CrashLoopBackOff'], (pod) => `A container of ${pod} crashes again and again`),
  ruleFor(
    'PodImagePullFailing',
    ['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName'],
    (pod) => `An image of ${pod} cannot be pulled`,
  ),
  ruleFor(
    'PodContainerNotStarting',
    ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
    (pod) => `A container of ${pod} cannot be started`,
  ),
]
