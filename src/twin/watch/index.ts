/** What a twin tells of itself: lines on stdout, spans, measures. */
export { createAgentLine } from './agent-line.ts'
export { createLog } from './create-log.ts'
export { createMeter, type TwinMeter } from './create-meter.ts'
export { createTracer, type SpanExporter } from './create-tracer.ts'
export { createLineFile, type WriteLine } from './line-file.ts'
export { createOutput, type Output } from './output.ts'
export { createSpanExporter } from './span-exporter.ts'
export { parseTraceparent, toTraceparent } from './traceparent.ts'
