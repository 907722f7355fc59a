/** What was said to be wrong in episodes in which nothing was. */
import type { Validity } from '../../runs/index.ts'

/** One sentence each. */
export const falseAlarms = ({ problems }: Validity): string[] =>
  problems.flatMap(({ problem, attempts }) =>
    attempts.flatMap(({ outcome, reason, felt, alerts, failures = [] }) => [
      // What users are said to feel where nothing is wrong spoils an episode: a second try must not hide it.
      ...failures.map((failure) => `${problem.id}: repeated, since ${failure}`),
      ...(outcome === 'resolved' ? [] : [`${problem.id}: the verdict is ${outcome}: ${reason}`]),
      ...(felt ? [`${problem.id}: users were said to feel something`] : []),
      ...alerts.map((alert) => `${problem.id}: ${alert}`),
    ]),
  )

export const alarmsText = (episodes: number, alarms: readonly string[]): string =>
  alarms.length === 0
    ? `No alert and no verdict of a fault in ${episodes} control episodes.`
    : `False alarms in ${episodes} control episodes:\n${alarms.map((alarm) => `  ${alarm}`).join('\n')}`
