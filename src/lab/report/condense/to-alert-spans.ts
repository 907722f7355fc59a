/** Converts the alerts of an episode to spans in the time of its record. */
import type { Alert, EpisodeEvent } from '#spec'
import type { AlertSpan } from '../view/story.ts'
import type { Cutter } from './create-cutter.ts'

const keyOf = ({ name, labels, raised }: Alert): string => JSON.stringify([name, labels, raised])

/** `startTime` is the start of the record in milliseconds since the epoch; `length` is its duration. */
export const toAlertSpans = (
  events: readonly EpisodeEvent[],
  startTime: number,
  length: number,
  cutter: Cutter,
): readonly AlertSpan[] => {
  const lastStates = new Map<string, Alert>()
  for (const event of events)
    if (event.type === 'alerts-observed')
      for (const alert of event.alerts) lastStates.set(keyOf(alert), alert)
  return [...lastStates.values()]
    .map(({ name, labels, severity, summary, raised, cleared }) => ({
      name: cutter.text([name, ...Object.values(labels ?? {})].join(' ')),
      about: cutter.text(summary),
      severity,
      from: Math.min(length, Math.max(0, raised - startTime)),
      ...(cleared === undefined || cleared - startTime > length
        ? {}
        : { to: Math.max(0, cleared - startTime) }),
    }))
    .sort((a, b) => a.from - b.from)
}
