/** Problems: drawn from a seed, named by their content, and gathered in suites. */
export { toControl } from './control.ts'
export { type Draw, drawProblem } from './draw-problem.ts'
export { listSuites, type SuiteSummary } from './list-suites.ts'
export { loadSuite, type SuiteOptions } from './load-suite.ts'
export { parseMicroRemedList } from './parse-micro-remed-list.ts'
export { parseProblem } from './parse-problem.ts'
export { problemId } from './problem-id.ts'
