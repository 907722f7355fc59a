/** What a service does, as its topology says it. */
export { createBehaviour, type RunningBehaviour } from './create-behaviour.ts'
export { beginBackgroundDefects, failingCommand, findDefect } from './defects.ts'
export { outgrowLimit } from './outgrow-limit.ts'
