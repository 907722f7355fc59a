/** Starts the slowest end-to-end files first, so that no worker runs a slow file alone at the end of the test run. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Each takes a minute or more. Without durations of earlier runs (a fresh clone), Vitest sorts by file size, and these files are
 * small.
 */
const SLOW_FILES = [
  'e2e/quick-forms/proof.test.ts',
  'e2e/repository.test.ts',
  'e2e/systems/calls.test.ts',
  'e2e/model-run.test.ts',
  'e2e/quick-forms/bench.test.ts',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = SLOW_FILES.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank === -1 ? SLOW_FILES.length : rank
}

export default class SlowFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
