/** The program of a twin, which runs on any host. */
export { runTwin, type TwinRun } from './run-twin.ts'
export { type RunningTwin, startTwin, type TwinOptions } from './start-twin.ts'
