/** How the tests run: those beside the sources, and the end-to-end ones, which drive real programs. */
import { defineConfig } from 'vitest/config'
import { STATE } from './e2e/testing/own-state.ts'

export default defineConfig({
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'] } },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/testing/own-state.ts'],
          env: { REMEDIUM_STATE: STATE },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
