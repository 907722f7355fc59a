/** The behaviour of a service as its topology declares it. */

export { allocateFootprint } from './allocate-footprint.ts'
export { type CompiledBehaviour, compileBehaviour } from './compile-behaviour.ts'
export { createBehaviour, type RunningBehaviour } from './create-behaviour.ts'
export { failingCommand, findDefect, startBackgroundDefects } from './defects.ts'
export { repeat } from './repeat.ts'
