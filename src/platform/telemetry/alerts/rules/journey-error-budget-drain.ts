/** A journey fails rarely but steadily: too rarely for a short window, too often for its error budget. */
import { defineAlertRule } from '../alert-rule.ts'

const BUDGET = 0.001
const MIN_BURN_RATE = 6
const SECONDS = 119
const MIN_FAILED = 5

export const journeyErrorBudgetDrain = defineAlertRule({
  name: 'JourneyErrorBudgetDrain',
  severity: 'ticket',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const { count, failed } = window.within(now, SECONDS)
      if (failed < MIN_FAILED || failed / count < MIN_BURN_RATE * BUDGET) continue
      yield {
        labels: { journey },
        summary: `${failed} of ${count} runs of the journey ${journey} failed in the last 2 min`,
      }
    }
  },
})
