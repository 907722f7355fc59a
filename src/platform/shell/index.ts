/** The shell of simulated clusters: runs scripts for /bin/sh with the programs and files of a port. Features that are not modelled are rejected. */
export { echoOfBash } from './built-ins/echo.ts'
export { evaluateTest, TestError } from './built-ins/evaluate-test.ts'
export { parseKill } from './built-ins/jobs.ts'
export { printf } from './built-ins/printf.ts'
export { writeAll } from './redirect.ts'
export { runScript } from './run-script.ts'
export type { ShellPort } from './shell-port.ts'
export { decodeBytes, encodeText } from './text-bytes.ts'
