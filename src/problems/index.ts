/** Problems: drawn from a seed, named by their content, and gathered in suites. */
export { drawProblem } from './draw-problem.ts'
export { fittingTypes } from './fitting-types.ts'
export { listSuites } from './list-suites.ts'
export { drawExperiments, loadMicroRemedList, loadSuite } from './load-suite.ts'
export { withBudget } from './with-budget.ts'
