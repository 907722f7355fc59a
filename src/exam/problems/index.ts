/** Public interface of problems: drawn from a seed, identified by their content, and grouped in suites. */
export { drawProblem } from './draw-problem.ts'
export { toMisfitError } from './explain-misfit.ts'
export { listFittingTypes } from './list-fitting-types.ts'
export { listSuites } from './list-suites.ts'
export { drawExperiments, loadSuite } from './load-suite.ts'
export { withBudget } from './with-budget.ts'
