/** Many users wait much longer than they are used to. */
import { defineAlertRule } from '../alert-rule.ts'

const WINDOWS = [
  { seconds: 5, share: 0.3, least: 3 },
  { seconds: 20, share: 0.3, least: 8 },
]

export const journeySlow = defineAlertRule({
  name: 'JourneySlow',
  severity: 'page',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const isSlow = WINDOWS.every(({ seconds, share, least }) => {
        const { count, slow } = window.within(now, seconds)
        return count >= least && slow / count >= share
      })
      if (!isSlow) continue
      const limit = Math.round(window.slowFrom() ?? 0)
      yield { labels: { journey }, summary: `Three of ten walks of ${journey} or more take over ${limit} ms` }
    }
  },
})
