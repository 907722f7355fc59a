/** The parts of tools that do not depend on where they run: command lines and texts. */
export { type ProbeOptions, parseProbeOptions, toDurationText } from './probe-options.ts'
