/** Public interface of the files that runs and validations write: records, and lists of JSON lines. */

export { checkRegularFile } from './check-regular-file.ts'
export { type Circumstances, circumstancesOf } from './circumstances.ts'
export { DRAFT_SUFFIX, type KeptRecord, keepRecord } from './keep-record.ts'
export * from './line-file.ts'
export * from './make-folder.ts'
export { medianOf } from './median.ts'
export { fileNameOf, RECORD_SUFFIX, recordPathOf } from './record-path.ts'
export { removeStaleDrafts } from './remove-stale-drafts.ts'
export { replaceFile } from './replace-file.ts'
export { type FileScore, scoreFile } from './score-file.ts'
export type { Score } from './score-record.ts'
export { type StageTimes, stageTimesOf } from './stage-times.ts'
