/** Ends a test run with the line `N passed, N failed`, which counts broken files and stray errors as failures. */
import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

interface Tally {
  passed: number
  failed: number
}

const tally = (modules: readonly TestModule[], strayErrors: readonly SerializedError[]): Tally => {
  const count = { passed: 0, failed: strayErrors.length }
  for (const module of modules) {
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === 'failed').length
    count.passed += tests.filter((test) => test.result().state === 'passed').length
    count.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
  }
  return count
}

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly SerializedError[]): void {
    const count = tally(modules, strayErrors)
    const summaryFile = process.env.REMEDIUM_TEST_SUMMARY
    if (summaryFile !== undefined) writeFileSync(summaryFile, JSON.stringify(count))
    // The summary of the reporter before it is printed in the same tick, and must come first.
    process.once('exit', () => console.log(`${count.passed} passed, ${count.failed} failed`))
  }
}
