/** Tests the summary of a load, as data and as a table. */
import { describe, expect, it } from 'vitest'
import type { JourneyRecord, RequestRecord } from '#spec'
import { createLoadSummary, summaryText } from './load-summary.ts'

const HEALTH = {
  arrivals: 102,
  dropped: 2,
  unfinished: 0,
  lagMs: { p50: 0.4, p99: 1.25, max: 130 },
  cpu: 0.126,
}

const journeyRun = (latencyMs: number, ok = true): JourneyRecord => ({
  journey: 'buy',
  run: 0,
  intended: 0,
  started: 0,
  latencyMs,
  ok,
})
const request = (more: Partial<RequestRecord>): RequestRecord => ({
  journey: 'buy',
  run: 0,
  step: 'pay',
  intended: 0,
  started: 0,
  latencyMs: 1,
  outcome: 'ok',
  status: 200,
  traceId: '',
  ...more,
})

describe('the summary of a load', () => {
  it('has percentiles, success and errors by kind for each journey', () => {
    const summary = createLoadSummary({ journeys: [] })
    const journeys = Array.from({ length: 100 }, (_, index) => journeyRun(100 - index, index > 0))
    summary.add({
      journeys,
      requests: [
        request({}),
        request({ outcome: 'status', status: 500, detail: 'no money' }),
        request({ outcome: 'status', status: 503 }),
        request({ outcome: 'timeout', status: 0, detail: 'no answer within 10000 ms' }),
      ],
    })
    expect(summary.journeys()).toEqual([
      {
        journey: 'buy',
        count: 100,
        success: 0.99,
        p50: 50,
        p95: 95,
        p99: 99,
        errors: {
          status: { count: 2, example: 'pay: 503' },
          timeout: { count: 1, example: 'pay: no answer within 10000 ms' },
        },
      },
    ])
    expect([summary.runs, summary.failed, summary.answered]).toEqual([100, 1, 3])
    expect(summary.recent()).toEqual({ runs: 100, failed: 1, p95: 95 })
    expect(summary.recent()).toEqual({ runs: 0, failed: 0, p95: 0 })
    expect(summaryText(summary.journeys(), HEALTH)).toBe(
      `JOURNEY  RUNS  SUCCESS      P50      P95      P99               ERRORS
buy       100  99.00 %  50.0 ms  95.0 ms  99.0 ms  status 2, timeout 1

The latest error of each kind:
  buy (status): pay: 503
  buy (timeout): pay: no answer within 10000 ms

The generator started 100 of 102 journey runs, half within 0.4 ms of their due time, 99 % within 1.3 ms, all within 130 ms, and used 0.13 cores.
`,
    )
  })

  it('includes weighted journeys that have not run', () => {
    const steps = [{ name: 's', request: 'GET /' }]
    const summary = createLoadSummary({
      journeys: [
        { name: 'rare', weight: 1, steps },
        { name: 'login', weight: 0, steps },
        { name: 'buy', weight: 9, steps },
      ],
    })
    summary.add({ requests: [], journeys: [journeyRun(5)] })
    expect(summary.journeys().map(({ journey, count, success }) => [journey, count, success])).toEqual([
      ['rare', 0, null],
      ['buy', 1, 1],
    ])
    expect(summaryText(summary.journeys(), HEALTH).split('\n').slice(0, 3)).toEqual([
      'JOURNEY  RUNS   SUCCESS     P50     P95     P99  ERRORS',
      'rare        0         -       -       -       -    none',
      'buy         1  100.00 %  5.0 ms  5.0 ms  5.0 ms    none',
    ])
  })

  it('never rounds a failure away', () => {
    const summary = createLoadSummary({ journeys: [] })
    summary.add({
      requests: [],
      journeys: [journeyRun(1, false), ...Array.from({ length: 99_999 }, () => journeyRun(1))],
    })
    expect(summaryText(summary.journeys(), HEALTH)).toContain('99.99 %')
  })
})
