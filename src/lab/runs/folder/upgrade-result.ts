/** Upgrades lines of `results.jsonl` from schema 1, which had other names for metrics and stages. */
import { isPlainObject } from '#kit'

const METRICS: Readonly<Record<string, string>> = { walks: 'journeyRuns', walksLost: 'journeyRunsFailed' }
const STAGES: Readonly<Record<string, string>> = { shown: 'impact', act: 'solve' }

const renameMembers = (value: unknown, names: Readonly<Record<string, string>>): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          Object.hasOwn(names, name) ? names[name]! : name,
          member,
        ]),
      )
    : value

/** A resumed run can contain lines of both schemas, so each line is upgraded by its content. */
export const upgradeResult = (value: unknown): unknown =>
  isPlainObject(value)
    ? {
        ...value,
        metrics: renameMembers(value.metrics, METRICS),
        stages: renameMembers(value.stages, STAGES),
      }
    : value
