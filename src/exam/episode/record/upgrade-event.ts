/** Upgrades events of schema 1, in which some types and fields had other names, to schema 2. */
import { type ActionReach, LABORATORY_PLAYBOOK } from '#spec'

type Fields = Readonly<Record<string, unknown>>

const NEW_TYPES: Readonly<Record<string, string>> = {
  'episode-began': 'episode-started',
  'fault-shown': 'user-impact-observed',
  'laboratory-acts': 'fault-change-started',
  'solver-began': 'solver-started',
  walks: 'journeys-run',
}

/** Renamed fields, by the new type of the event. */
const NEW_FIELDS: Readonly<Record<string, readonly (readonly [oldName: string, newName: string])[]>> = {
  'journeys-run': [['walks', 'runs']],
  'model-called': [['begins', 'startsConversation']],
  'user-impact-observed': [['shown', 'affected']],
}
const BASELINE_FIELDS = [['walks', 'runs']] as const
const METRIC_FIELDS = [
  ['walksLost', 'journeyRunsFailed'],
  ['walks', 'journeyRuns'],
] as const

/** Steps of schema 1 have no reach: it is derived from the action. Other actions only read. */
const REACHES: Readonly<Record<string, ActionReach>> = {
  exec_shell: 'pods',
  run_playbook: 'pods',
  [LABORATORY_PLAYBOOK]: 'objects',
  submit: 'answers',
}

const renameFields = (value: Fields, names: readonly (readonly [string, string])[]): Fields =>
  Object.fromEntries(
    Object.entries(value).map(([key, member]) => [names.find(([old]) => old === key)?.[1] ?? key, member]),
  )

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Values of an unexpected shape pass through: the schema rejects them afterwards. */
const upgradeNested = (event: Fields): Fields => {
  if (event.type === 'episode-started') return { ...event, schema: 2 }
  if (event.type === 'step-taken') return { ...event, reach: REACHES[String(event.action)] ?? 'nothing' }
  if (event.type === 'baseline-taken' && Array.isArray(event.journeys)) {
    const journeys = event.journeys.map((baseline) =>
      isObject(baseline) ? renameFields(baseline, BASELINE_FIELDS) : baseline,
    )
    return { ...event, journeys }
  }
  if (event.type === 'verdict-given' && isObject(event.verdict) && isObject(event.verdict.metrics)) {
    const metrics = renameFields(event.verdict.metrics, METRIC_FIELDS)
    return { ...event, verdict: { ...event.verdict, metrics } }
  }
  return event
}

/** Upgrades one event of schema 1. */
export const upgradeEvent = (value: unknown): unknown => {
  if (!isObject(value) || typeof value.type !== 'string') return value
  const type = NEW_TYPES[value.type] ?? value.type
  return upgradeNested(renameFields({ ...value, type }, NEW_FIELDS[type] ?? []))
}

/** Whether the first event of a record has schema 1. */
export const hasOldSchema = (first: unknown): boolean =>
  isObject(first) && first.type === 'episode-began' && first.schema === 1
