/** A container wants far more CPU than its limit lets it have. */
import { defineAlertRule } from '../alert-rule.ts'

/** A period is a tenth of a second. */
const LEAST_PERIODS = 100
/** A healthy service may be held back for a moment in three of four. */
const SHARE = 0.9

export const containerThrottled = defineAlertRule({
  name: 'ContainerCpuThrottled',
  severity: 'ticket',
  *find({ containers }) {
    for (const { pod, container, periods, throttledPeriods } of containers) {
      if (periods < LEAST_PERIODS || throttledPeriods / periods < SHARE) continue
      const share = Math.round((100 * throttledPeriods) / periods)
      yield {
        labels: { service: pod.service, pod: pod.name, container },
        summary: `${container} of ${pod.name} was held back by its CPU limit in ${share} % of the last 30 s`,
      }
    }
  },
})
