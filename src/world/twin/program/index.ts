/** The program of a twin, which runs on any host. */
export { chooseSlice } from './read-files.ts'
export { runTwin } from './run-twin.ts'
export { StartFailure } from './start-failure.ts'
