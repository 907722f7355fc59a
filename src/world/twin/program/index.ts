/** The program of a twin, which runs on any host. */
export { chooseSlice } from './read-files.ts'
export { runTwin, type TwinRun } from './run-twin.ts'
export { StartFailure } from './start-failure.ts'
export { type RunningTwin, startTwin, type TwinOptions } from './start-twin.ts'
