/** Users fail now and then, too often to last: what a short window would take for bad luck. */
import { defineAlertRule } from '../alert-rule.ts'

const BUDGET = 0.001
const BURN = 6
const SECONDS = 119
const LEAST_FAILED = 5

export const journeyErrorBudgetDrain = defineAlertRule({
  name: 'JourneyErrorBudgetDrain',
  severity: 'ticket',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const { count, failed } = window.within(now, SECONDS)
      if (failed < LEAST_FAILED || failed / count < BURN * BUDGET) continue
      yield { labels: { journey }, summary: `${failed} of ${count} walks of ${journey} failed in 2 min` }
    }
  },
})
