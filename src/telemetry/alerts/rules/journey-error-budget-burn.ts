/** Users fail so often that the error budget of a journey is used up many times too fast. */
import { defineAlertRule } from '../alert-rule.ts'

/** Of walks may fail. */
const BUDGET = 0.001
/** As the usual rule for paging has it, over windows that fit an episode: burns a month's budget in two days. */
const BURN = 14.4
const SHORT_SECONDS = 5
const LONG_SECONDS = 30
/** One user's bad luck is no outage. */
const LEAST_FAILED = 3

export const journeyErrorBudgetBurn = defineAlertRule({
  name: 'JourneyErrorBudgetBurn',
  severity: 'page',
  *find({ journeys, now }) {
    for (const [journey, window] of journeys) {
      const long = window.within(now, LONG_SECONDS)
      const short = window.within(now, SHORT_SECONDS)
      const burns = [long, short].every(({ count, failed }) => failed > 0 && failed / count >= BURN * BUDGET)
      if (!burns || long.failed < LEAST_FAILED) continue
      yield {
        labels: { journey },
        summary: `${long.failed} of ${long.count} walks of ${journey} failed in 30 s`,
      }
    }
  },
})
