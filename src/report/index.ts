/** A page of HTML about one or several runs. */
export { reportPage } from './report-page.ts'
export type { ReportedRun } from './reported-run.ts'
export { UNSEEN_LETTERS } from './view/unseen-letters.ts'
