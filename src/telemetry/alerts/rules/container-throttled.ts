/** A container wants far more CPU than its limit lets it have. */
import { defineAlertRule } from '../alert-rule.ts'

/** A period is a tenth of a second. */
const LEAST_PERIODS = 100
/** A healthy one was seen held back in 76 % of them: Online-Boutique's productcatalogservice, by its usual load. */
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
