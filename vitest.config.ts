/**
 * How the tests run: those beside the sources, the end-to-end ones, which drive real programs and mostly wait for
 * them, and last, one at a time, those that measure what a fault does.
 */
import { configDefaults, defineConfig } from 'vitest/config'
import { STATE } from './e2e/testing/own-state.ts'

/** Two at a time would be noise in each other's figures; chaos objects as clients see them have none. */
const MEASURING = ['e2e/faults/**/!(objects).test.ts', 'src/kube/injection/**/*.test.ts']

/** A busy machine may take its time to get where it is asked to be. */
const expectation = { poll: { timeout: 20_000 } }

const endToEnd = {
  expect: expectation,
  globalSetup: ['e2e/testing/own-state.ts'],
  env: { REMEDIUM_STATE: STATE },
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          expect: expectation,
          // Many use real processes, and machines are busy: what hangs is found as well by this.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...MEASURING],
          maxWorkers: 2,
          // Modules are loaded once for many files: to load them for each took longer than most of the tests. Whoever changes
          // something of the process puts it back.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...MEASURING],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'measured',
          include: MEASURING,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
