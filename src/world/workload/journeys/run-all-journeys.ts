/** Runs every journey once, in this process, as one user. */

import type { RecordBatch } from '../generator/generator-messages.ts'
import { createJourneyRunner, type JourneyRunnerOptions } from './create-journey-runner.ts'

export interface RunAllOptions extends JourneyRunnerOptions {
  /** The names of the journeys to run; all by default. */
  readonly journeys?: readonly string[]
}

/** Runs the journeys in the order of the file; skips those that have run because another one needs them. */
export const runAllJourneys = async ({ journeys, ...options }: RunAllOptions): Promise<RecordBatch> => {
  const runner = createJourneyRunner(options)
  try {
    for (const { name } of options.workload.journeys)
      if (journeys?.includes(name) !== false && !runner.hasPrepared(name)) await runner.run(name)
  } finally {
    runner.close()
  }
  return runner.records
}
