/** Measures telemetry: the cost of receiving signals, and the duration of queries. */
import type { Goal } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'
import { measureQueries } from './telemetry-parts/query-times.ts'
import { measureSteadyFlow } from './telemetry-parts/steady-flow.ts'

await runBench({
  name: 'telemetry',
  about: 'Measures telemetry: the cost of receiving signals, and the duration of queries.',
  options: {
    seconds: { about: 'how long signals are received', count: 15, quick: 2 },
    spans: { about: 'how many spans the queried file holds', count: 1_000_000, quick: 20_000 },
  },
  async measure({ values: { seconds, spans } }): Promise<Goal[]> {
    const flow = await measureSteadyFlow(seconds * 1000)
    console.log(`1,000 spans and 500 lines per second: ${flow.spans} spans were written`)
    const times = await measureQueries(spans)
    return [
      {
        what: '1,000 spans/s, 500 lines/s, 70 pods: cost',
        measured: flow.share * 100,
        unit: '% of a core',
        atMost: 10,
      },
      {
        what: '1,000 spans/s, 500 lines/s, 70 pods: dropped',
        measured: flow.dropped,
        unit: 'signals',
        atMost: 0,
        isCorrectness: true,
      },
      ...Object.entries(times).map(([query, measured]) => ({
        what: `over ${spans.toLocaleString('en')} spans: ${query}`,
        measured,
        unit: 'ms',
        atMost: 2000,
      })),
    ]
  },
})
