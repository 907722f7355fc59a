/**
 * Stages in an order that TypeScript checks: a stage reads only fields that are given or that an earlier stage computed, and no
 * field is computed twice.
 */
import type { EpisodeContext, Stage, StageName } from './episode-context.ts'

type Field = keyof EpisodeContext

/** `Given` are the fields with which the chain is run, `Known` these and the results of its stages. */
export interface StageChain<Given extends Field, Known extends Field> {
  /** Appends a stage. */
  add<Name extends Exclude<StageName, Known>, Reads extends Known, After extends Known & StageName = never>(
    stage: Stage<Name, Reads, After>,
  ): StageChain<Given, Known | Name>
  run(given: Pick<EpisodeContext, Given>): Promise<Pick<EpisodeContext, Known>>
}

const toChain = <Given extends Field, Known extends Field>(
  run: StageChain<Given, Known>['run'],
): StageChain<Given, Known> => ({
  run,
  add: (stage) =>
    toChain(async (given) => {
      const context = await run(given)
      // The type of a computed key is not inferred.
      return { ...context, [stage.name]: await stage.run(context) } as never
    }),
})

/** A chain without stages. */
export const chainFrom = <Given extends Field>(): StageChain<Given, Given> => toChain(async (given) => given)
