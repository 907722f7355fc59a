/** Many runs of a journey take much longer than in its baseline; outcome-window.ts derives the limit. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOWS = [
  { seconds: 5, minShare: 0.3, minCount: 3 },
  { seconds: 20, minShare: 0.3, minCount: 8 },
]

export const journeySlow = defineAlertRule({
  name: 'JourneySlow',
  severity: 'page',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const isSlow = WINDOWS.every(({ seconds, minShare, minCount }) => {
        const { count, slow } = window.within(now, seconds)
        return count >= minCount && slow / count >= minShare
      })
      if (!isSlow) continue
      const limit = Math.round(window.slowAboveMs() ?? 0)
      yield {
        labels: { journey },
        summary: `At least 30 % of the runs of the journey ${journey} take longer than ${limit} ms`,
      }
    }
  },
})
