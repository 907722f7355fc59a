/** A service answers many requests with errors. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOWS = [
  { seconds: 5, failed: 2 },
  { seconds: 30, failed: 5 },
]
const SHARE = 0.05

export const serviceErrorRateHigh = defineAlertRule({
  name: 'ServiceErrorRateHigh',
  severity: 'page',
  *find({ services, now }) {
    for (const [service, window] of services) {
      const fails = WINDOWS.every(({ seconds, failed: least }) => {
        const { count, failed } = window.within(now, seconds)
        return failed >= least && failed / count >= SHARE
      })
      if (!fails) continue
      const { count, failed } = window.within(now, 30)
      yield { labels: { service }, summary: `${service} failed ${failed} of ${count} requests in 30 s` }
    }
  },
})
