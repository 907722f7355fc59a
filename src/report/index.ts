/** A page of HTML about one or several runs. */
export { reportPage } from './report-page.ts'
export type { ReportedRun } from './reported-run.ts'
