/** Log lines, spans and metrics of a twin. */
export { createLog } from './create-log.ts'
export { createMeter, type TwinMeter } from './create-meter.ts'
export { createTracer } from './create-tracer.ts'
export { createLineFile, type WriteLine } from './line-file.ts'
export { TRACE_DUMP_MS, traceDump } from './trace-dump.ts'
export { parseTraceparent, toTraceparent } from './traceparent.ts'
