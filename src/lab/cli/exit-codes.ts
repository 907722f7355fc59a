/** Exit codes of commands that end without an error; docs/errors.md lists all exit codes. */
import type { RunSummary } from '#lab/runs'

/** A contender resolved fewer episodes than --min-resolved demands. */
export const TOO_FEW_RESOLVED = 1
/** Some episodes are void, so the run is incomplete. */
export const VOID_EPISODES = 3
/** `remedium doctor` found that a requirement of `remedium run` is missing. */
export const REQUIREMENT_MISSING = 4

export const hasVoidEpisodes = ({ contenders }: Pick<RunSummary, 'contenders'>): boolean =>
  contenders.some(({ voided }) => voided > 0)
