/** Ends a test run with the line `N passed, N failed`, which counts broken files and unhandled errors as failures. */
import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

interface Tally {
  passed: number
  failed: number
}

const tally = (modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Tally => {
  const count = { passed: 0, failed: unhandledErrors.length }
  for (const module of modules) {
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === 'failed').length
    count.passed += tests.filter((test) => test.result().state === 'passed').length
    count.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
  }
  return count
}

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const count = tally(modules, unhandledErrors)
    const summaryFile = process.env.REMEDIUM_TEST_SUMMARY
    if (summaryFile !== undefined) writeFileSync(summaryFile, JSON.stringify(count))
    // The default reporter prints its summary in the same tick; this line must come after it.
    process.once('exit', () => console.log(`${count.passed} passed, ${count.failed} failed`))
  }
}
