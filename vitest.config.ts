/** The test projects: unit tests, end-to-end tests with real programs, and tests that measure faults. */
import { configDefaults, defineConfig } from 'vitest/config'
import { STATE } from './e2e/testing/state-folder.ts'
import SlowFirstSequencer from './scripts/slow-first-sequencer.ts'

/** Tests that run one at a time, because they would disturb each other's measurements. */
const MEASURING = ['e2e/faults/**/!(objects|pod).test.ts', 'src/platform/kube/injection/**/*.test.ts']

/** Long enough for a busy machine. */
const expectOptions = { poll: { timeout: 20_000 } }

const endToEnd = {
  expect: expectOptions,
  globalSetup: ['e2e/testing/state-folder.ts'],
  env: { REMEDIUM_STATE: STATE },
  // Ends a test that hangs. On a busy machine, a playbook has taken 120 seconds instead of 28.
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    sequence: { sequencer: SlowFirstSequencer },
    // Node.js loads the sources itself, as it does for users. Transforming them would take a quarter of a test run.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        test: {
          name: 'unit',
          expect: expectOptions,
          // Many tests run real processes on a busy machine.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...MEASURING],
          maxWorkers: 2,
          // Faster, because many files share modules. A test that changes the process must restore it.
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
          maxWorkers: 4,
          // As above: each file would import the sources again, for up to two seconds.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'measured',
          include: MEASURING,
          maxWorkers: 1,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
