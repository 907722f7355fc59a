/** Upgrades lines of `results.jsonl` from schema 1, which had other names for metrics and stages. */
import { isPlainObject } from '#kit'

const METRIC_NAMES: Readonly<Record<string, string>> = {
  walks: 'journeyRuns',
  walksLost: 'journeyRunsFailed',
}
const STAGE_NAMES: Readonly<Record<string, string>> = { shown: 'impact', act: 'solve' }

const renameFields = (value: unknown, names: Readonly<Record<string, string>>): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          Object.hasOwn(names, name) ? names[name]! : name,
          field,
        ]),
      )
    : value

/** A resumed run can contain lines of both schemas, so each line is upgraded according to its content. */
export const upgradeResult = (value: unknown): unknown =>
  isPlainObject(value)
    ? {
        ...value,
        metrics: renameFields(value.metrics, METRIC_NAMES),
        stages: renameFields(value.stages, STAGE_NAMES),
      }
    : value
