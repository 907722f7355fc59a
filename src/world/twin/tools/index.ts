/** Public interface of the tools: the parts that do not depend on a process of the operating system. */
export { type ProbeOptions, parseProbeOptions, toDurationText } from './grpc-health/probe-options.ts'
