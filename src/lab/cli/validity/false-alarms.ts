/** Lists the false alarms of control episodes: alerts, user impact, retries and verdicts other than resolved. */
import type { Validity } from '#lab/validation'

export const falseAlarms = ({ problems }: Validity): string[] =>
  problems.flatMap(({ problem, attempts }) =>
    attempts.flatMap(({ outcome, reason, hasImpact, alerts, failures = [] }) => [
      // User impact makes a control void; a retry must not hide it.
      ...failures.map((failure) => `${problem.id}: retried: ${failure}`),
      ...(outcome === 'resolved' ? [] : [`${problem.id}: the verdict is ${outcome}: ${reason}`]),
      ...(hasImpact ? [`${problem.id}: user impact was reported`] : []),
      ...alerts.map((alert) => `${problem.id}: ${alert}`),
    ]),
  )

export const alarmsText = (episodes: number, alarms: readonly string[]): string =>
  alarms.length === 0
    ? `No false alarms in ${episodes} control episodes.`
    : `False alarms in ${episodes} control episodes:\n${alarms.map((alarm) => `  ${alarm}`).join('\n')}`
