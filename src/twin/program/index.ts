/** The program that runs in the container of every twin. */
export { type RunningTwin, startTwin, type TwinOptions } from './start-twin.ts'
