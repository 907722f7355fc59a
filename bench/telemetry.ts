/** The goals of telemetry: what it costs to take signals in, and how soon questions are answered. */
import { type Goal, printGoals } from './measure/goals.ts'
import { measureQueries } from './telemetry-parts/million-spans.ts'
import { measureSteadyFlow } from './telemetry-parts/steady-flow.ts'

const flow = await measureSteadyFlow()
console.log(`1,000 spans and 500 lines a second for 18 s: ${flow.spans} spans are in the file`)
const times = await measureQueries()

const goals: Goal[] = [
  {
    what: '1,000 spans/s, 500 lines/s, 70 pods: cost',
    measured: flow.share * 100,
    unit: '% of a core',
    atMost: 10,
  },
  { what: 'dropped of these', measured: flow.dropped, unit: 'signals', atMost: 0 },
  ...Object.entries(times).map(([what, measured]) => ({
    what: `over a million spans: ${what}`,
    measured,
    unit: 'ms',
    atMost: 2000,
  })),
]
process.exitCode = printGoals(goals)
