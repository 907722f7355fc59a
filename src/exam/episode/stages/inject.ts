/** Stage 2: injects the faults of the problem. */
import { defineStage } from '../episode-context.ts'

export const inject = defineStage({
  name: 'inject',
  reads: ['equipment', 'problem', 'injection'],
  after: ['baseline'],
  async run({ equipment, problem, injection }) {
    equipment.journeys.collect()
    await injection.start(problem.faults)
    return injection.faults
  },
})
