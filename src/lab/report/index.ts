/** Public interface of the report: an HTML page about one or several runs. */
export { reportPage } from './report-page.ts'
export type { ReportedRun } from './reported-run.ts'
