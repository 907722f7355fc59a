/** Stage 4: writes the diagnosis report that the solver gets. */
import type { Problem } from '#spec'
import { defineStage, type EpisodeContext } from '../episode-context.ts'
import { countCalls } from '../laboratory/count-calls.ts'
import { describeSymptoms, type Waiting } from './describe-symptoms.ts'

type Context = Pick<EpisodeContext, 'equipment' | 'problem' | 'log' | 'baseline'>

/** As in MicroRemed: the root-cause service and the failure category. */
const describeLabel = ({ faults }: EpisodeContext['equipment'], problem: Problem): string => {
  if (problem.faults.length === 0) return 'No failure was diagnosed.'
  return problem.faults
    .map(
      ({ fault, target }) =>
        `root cause: ${target.service}\nfailure category: ${faults.get(fault)!.category}`,
    )
    .join('\n\n')
}

/** Converts a time of the record to milliseconds since the epoch. */
const toTime = ({ equipment, log }: Pick<Context, 'equipment' | 'log'>, at: number): number =>
  equipment.time.precise() - log.at() + at

/** The time in the record when symptoms start: before the injection, or when replaced pods were ready. */
const symptomsSince = ({ events }: EpisodeContext['log']): number => {
  const impact = events.findLast((event) => event.type === 'user-impact-observed')
  return impact?.since ?? events.find(({ type }) => type === 'objects-listed')?.at ?? 0
}

const findWaiting = (log: EpisodeContext['log']): Waiting => {
  const since = symptomsSince(log)
  const runs = log.view.pending.filter(([, startedAt]) => startedAt >= since)
  return new Map(
    [...Map.groupBy(runs, ([journey]) => journey)].map(
      ([journey, starts]) => [journey, starts.map(([, startedAt]) => log.at() - startedAt)] as const,
    ),
  )
}

const writeText = async ({ equipment, problem, log, baseline }: Context): Promise<string> => {
  const { name, namespace } = equipment.view
  const introduction = `The microservice system ${name} runs on Kubernetes, in the namespace ${namespace}.`
  if (problem.report === 'label') return `${introduction}\n\n${describeLabel(equipment, problem)}\n`
  if (problem.report === 'none')
    return `${introduction}\n\nA user has reported that the system may not work correctly.\n`
  const since = toTime({ equipment, log }, symptomsSince(log))
  const window = { since, baseline, waiting: findWaiting(log) }
  return `${introduction}\n\n${await describeSymptoms(equipment, window)}\n`
}

export const report = defineStage({
  name: 'report',
  reads: ['equipment', 'problem', 'log', 'baseline'],
  after: ['impact'],
  async run(context) {
    const { equipment, problem, log } = context
    // Calls that already fail before the solver acts are not damage by the solver.
    const { edges } = await countCalls(equipment, toTime(context, symptomsSince(log)))
    log.add({ type: 'calls-observed', edges })
    const text = await writeText(context)
    log.add({ type: 'report-given', kind: problem.report, text })
    return {
      task: problem.task,
      system: problem.system,
      namespace: equipment.view.namespace,
      report: { kind: problem.report, text },
      budget: problem.budget,
    }
  },
})
