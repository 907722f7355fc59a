/** Upgrades lines of `results.jsonl` from schema 1, which had other names for metrics and stages. */
import { isPlainObject } from '#kit'
import { renameFields } from './rename-fields.ts'

const METRIC_NAMES: Readonly<Record<string, string>> = {
  walks: 'journeyRuns',
  walksLost: 'journeyRunsFailed',
}
const STAGE_NAMES: Readonly<Record<string, string>> = { shown: 'impact', act: 'solve' }

/** A resumed run can contain lines of both schemas, so each line is upgraded according to its content. */
export const upgradeResult = (value: unknown): unknown =>
  isPlainObject(value)
    ? {
        ...value,
        metrics: renameFields(value.metrics, METRIC_NAMES),
        stages: renameFields(value.stages, STAGE_NAMES),
      }
    : value
