/** The stages of an episode, in order. */
import type { EpisodeContext, EpisodeInputs, Stage, StageName } from './episode-context.ts'
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

export const STAGES = [...PREPARATION, ...ATTEMPT, restore] as const

type AnyStage = Stage<StageName, any>

/** Runs stages in order; the context contains the results of the earlier stages. */
export const runStages = async (
  stages: readonly AnyStage[],
  inputs: Partial<EpisodeContext> & Pick<EpisodeInputs, 'equipment'>,
): Promise<EpisodeContext> => {
  let context: Partial<EpisodeContext> = inputs
  for (const { name, run } of stages) context = { ...context, [name]: await run(context as never) }
  return context as EpisodeContext
}
