/** Alerts of an episode in its own time: each once, from when it was raised until it was cleared. */
import type { Alert, EpisodeEvent } from '../../spec/index.ts'
import type { AlertSpan } from '../view/story.ts'
import type { Cutter } from './create-cutter.ts'

const keyOf = ({ name, labels, raised }: Alert): string => JSON.stringify([name, labels, raised])

/** `began`: when the record's time was 0, in milliseconds since the epoch. */
export const toAlertSpans = (
  events: readonly EpisodeEvent[],
  began: number,
  length: number,
  cutter: Cutter,
): readonly AlertSpan[] => {
  const last = new Map<string, Alert>()
  for (const event of events)
    if (event.type === 'alerts-observed') for (const alert of event.alerts) last.set(keyOf(alert), alert)
  return [...last.values()]
    .map(({ name, labels, severity, summary, raised, cleared }) => ({
      name: cutter.text([name, ...Object.values(labels ?? {})].join(' ')),
      about: cutter.text(summary),
      severity,
      from: Math.min(length, Math.max(0, raised - began)),
      ...(cleared === undefined || cleared - began > length ? {} : { to: Math.max(0, cleared - began) }),
    }))
    .sort((one, other) => one.from - other.from)
}
