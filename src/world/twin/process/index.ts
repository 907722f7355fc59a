/** A twin as a process of the operating system: its resources, its output, and the export of its spans. */
export { createProcessResources } from './create-process-resources.ts'
export { createOutput, type Output } from './output.ts'
export { processFiles } from './process-files.ts'
export { processTime } from './process-time.ts'
export { startSlowRelay } from './slow-relay.ts'
export { createSpanExporter } from './span-exporter.ts'
