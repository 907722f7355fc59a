/** A journey fails so often that its error budget burns many times too fast. */
import { defineAlertRule } from '../alert-rule.ts'

/** The share of journey runs that may fail. */
const BUDGET = 0.001
/** The common paging threshold: a month's budget burns in two days. The windows are shortened to fit an episode. */
const MIN_BURN_RATE = 14.4
const SHORT_SECONDS = 5
const LONG_SECONDS = 30
/** A single failure is not an outage. */
const MIN_FAILED = 3

export const journeyErrorBudgetBurn = defineAlertRule({
  name: 'JourneyErrorBudgetBurn',
  severity: 'page',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const long = window.within(now, LONG_SECONDS)
      const short = window.within(now, SHORT_SECONDS)
      const isBurning = [long, short].every(
        ({ count, failed }) => failed > 0 && failed / count >= MIN_BURN_RATE * BUDGET,
      )
      if (!isBurning || long.failed < MIN_FAILED) continue
      yield {
        labels: { journey },
        summary: `${long.failed} of ${long.count} runs of the journey ${journey} failed in the last 30 s`,
      }
    }
  },
})
