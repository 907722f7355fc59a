/** A container is throttled by its CPU limit almost all the time. */
import { defineAlertRule } from '../alert-rule.ts'

/** A CPU period takes 100 ms. */
const MIN_PERIODS = 100
/** Healthy containers reach up to 76 %, such as productcatalogservice of Online Boutique under its normal load. */
const MIN_SHARE = 0.9

export const containerCpuThrottled = defineAlertRule({
  name: 'ContainerCpuThrottled',
  severity: 'ticket',
  *find({ containers }) {
    for (const { pod, container, periods, throttledPeriods } of containers) {
      if (periods < MIN_PERIODS || throttledPeriods / periods < MIN_SHARE) continue
      const share = Math.round((100 * throttledPeriods) / periods)
      yield {
        labels: { service: pod.service, pod: pod.name, container },
        summary: `Container ${container} of pod ${pod.name} was throttled by its CPU limit in ${share} % of the CPU periods of the last 30 s`,
      }
    }
  },
})
