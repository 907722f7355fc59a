/** Stage 2: injects the faults of the problem. */
import { RemediumError } from '#spec'
import { defineStage, type EpisodeContext } from '../episode-context.ts'

/** A fault without a value of a parameter would inject something else, such as a limit of `undefinedk`. */
const checkParameters = ({ equipment, problem }: Pick<EpisodeContext, 'equipment' | 'problem'>): void => {
  for (const { fault, params } of problem.faults)
    for (const name of Object.keys(equipment.faults.get(fault)?.parameters ?? {}))
      if (params[name] === undefined)
        throw new RemediumError(
          'bad-argument',
          `The problem has no value of the parameter "${name}" of ${fault}.`,
        )
}

export const inject = defineStage({
  name: 'inject',
  reads: ['equipment', 'problem', 'injection'],
  after: ['baseline'],
  async run({ equipment, problem, injection }) {
    checkParameters({ equipment, problem })
    equipment.journeys.collect()
    await injection.start(problem.faults)
    return injection.faults
  },
})
