/** A service answers many requests with errors. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOWS = [
  { seconds: 5, minFailed: 3, minShare: 0.05 },
  // A fault that has just started affects only a small share of this window.
  { seconds: 30, minFailed: 5, minShare: 0.01 },
]

export const serviceErrorRateHigh = defineAlertRule({
  name: 'ServiceErrorRateHigh',
  severity: 'page',
  *find({ services, now }) {
    for (const [service, window] of services) {
      const isFailing = WINDOWS.every(({ seconds, minFailed, minShare }) => {
        const { count, failed } = window.within(now, seconds)
        return failed >= minFailed && failed / count >= minShare
      })
      if (!isFailing) continue
      const { count, failed } = window.within(now, 30)
      yield {
        labels: { service },
        summary: `The service ${service} failed ${failed} of ${count} requests in the last 30 s`,
      }
    }
  },
})
