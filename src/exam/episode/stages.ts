/** The stages of an episode, in order. Another order that reads a field too early does not compile. */
import type { EpisodeContext } from './episode-context.ts'
import { chainFrom } from './stage-chain.ts'
import { baseline } from './stages/baseline.ts'
import { impact } from './stages/impact.ts'
import { inject } from './stages/inject.ts'
import { report } from './stages/report.ts'
import { restore } from './stages/restore.ts'
import { solve } from './stages/solve.ts'
import { verify } from './stages/verify.ts'

type Given = 'equipment' | 'problem' | 'log' | 'injection' | 'waitsForImpact' | 'secret'
type Prepared = Given | 'baseline' | 'inject' | 'impact' | 'report'

/** Makes an incident out of a healthy system. */
export const PREPARATION = chainFrom<Given>().add(baseline).add(inject).add(impact).add(report)

/** Run for each solver on a prepared incident. */
export const ATTEMPT = chainFrom<Prepared | 'solver'>().add(solve).add(verify)

/** Run once, after the last attempt, also if the preparation failed. */
export const RESTORATION = chainFrom<'equipment' | 'injection' | 'isTrusted'>().add(restore)

export type PreparationInputs = Pick<EpisodeContext, Given>
export type PreparedContext = Pick<EpisodeContext, Prepared>
