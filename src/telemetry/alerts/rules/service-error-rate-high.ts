/** A service answers many requests with errors. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOWS = [
  { seconds: 5, failed: 3, share: 0.05 },
  // What has just begun is still a small part of this.
  { seconds: 30, failed: 5, share: 0.01 },
]

export const serviceErrorRateHigh = defineAlertRule({
  name: 'ServiceErrorRateHigh',
  severity: 'page',
  *find({ services, now }) {
    for (const [service, window] of services) {
      const fails = WINDOWS.every(({ seconds, failed: least, share }) => {
        const { count, failed } = window.within(now, seconds)
        return failed >= least && failed / count >= share
      })
      if (!fails) continue
      const { count, failed } = window.within(now, 30)
      yield { labels: { service }, summary: `${service} failed ${failed} of ${count} requests in 30 s` }
    }
  },
})
