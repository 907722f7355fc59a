/** Many episodes: workers, what is repeated, what is kept, and what it proves of agents and of suites. */
export type { AttemptResult } from './attempt.ts'
export { toAtif } from './export/to-atif.ts'
export { toShareGpt } from './export/to-share-gpt.ts'
export { toTrajectory } from './export/to-trajectory.ts'
export { makeFolder } from './folder/make-folder.ts'
export { openRunFolder, type RunFolder, readRun, runPaths } from './folder/run-folder.ts'
export {
  attemptsIn,
  conversationName,
  toConversationFile,
  writeConversation,
} from './micro-remed/conversation-file.ts'
export { experimentSummary } from './micro-remed/experiment-summary.ts'
export { agentOptionsOf } from './play/agent-options-of.ts'
export { LABORATORY_AGENTS } from './play/laboratory-agents.ts'
export { type PlannedEpisode, planEpisodes } from './play/plan-episodes.ts'
export { playRun, type RunProgress, unfinishedOf } from './play/play-run.ts'
export type { Failure } from './pool/worker-messages.ts'
export { RECORD_SUFFIX, recordPathOf } from './records/record-path.ts'
export { removeDeadDrafts } from './records/remove-dead-drafts.ts'
export { type FileScore, scoreFile } from './records/score-file.ts'
export { type Score, scoreRecord } from './records/score-record.ts'
export type { Stages } from './stages.ts'
export type { EpisodesSummary } from './statistics/summarise-episodes.ts'
export { type ContenderSummary, type RunSummary, summariseRun } from './statistics/summarise-run.ts'
export { attemptMark } from './validity/attempt-mark.ts'
export { openLedger } from './validity/ledger.ts'
export { hackIn, type PlanOptions } from './validity/plan-attempts.ts'
export { planSuite } from './validity/plan-suite.ts'
export type { ProblemValidity, Validity } from './validity/summarise.ts'
export { type Progress, type ValidationOptions, validateSuite } from './validity/validate-suite.ts'
export { type Circumstances, validityDocument } from './validity/validity-document.ts'
export { clearAway, WORKER_PROGRAM } from './worker-program.ts'
