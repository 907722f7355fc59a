/** Lets collectors write to any sink. */
import type { TelemetrySink } from '#spec'
import type { CollectedSink } from './collected-sink.ts'
import { createSampleConverter } from './sample-converter.ts'
import { toLogLine } from './to-log-line.ts'

const isCollectedSink = (sink: TelemetrySink): sink is CollectedSink => 'samples' in sink && 'lines' in sink

/** Converts signals at once if the sink does not keep them as they are collected. */
export const toCollectedSink = (sink: TelemetrySink): CollectedSink => {
  if (isCollectedSink(sink)) return sink
  const convert = createSampleConverter()
  return {
    ...sink,
    samples: (batch) => sink.metrics(convert(batch)),
    lines: (batch) => sink.logs(batch.map(toLogLine)),
  }
}
