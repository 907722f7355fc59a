/** The stages of an episode, in order. */
import type { Stage, StageName } from './episode-context.ts'
import { baseline } from './stages/baseline.ts'
import { impact } from './stages/impact.ts'
import { inject } from './stages/inject.ts'
import { report } from './stages/report.ts'
import { restore } from './stages/restore.ts'
import { solve } from './stages/solve.ts'
import { verify } from './stages/verify.ts'

/** Makes an incident out of a healthy system. */
export const PREPARATION = [baseline, inject, impact, report] as const
/** Run for each solver on a prepared incident. */
export const ATTEMPT = [solve, verify] as const

/** Run once, after the last attempt. */
export const RESTORATION = [restore] as const

export const STAGES = [...PREPARATION, ...ATTEMPT, ...RESTORATION] as const

export type AnyStage = Stage<StageName, any>
