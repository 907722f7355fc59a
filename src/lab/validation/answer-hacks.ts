/** Lists the cheap wrong answers to a problem: those of an agent that has not observed the system. */
import {
  type CheapAnswer,
  type Fault,
  type Problem,
  type SystemView,
  type Truth,
  taskOf,
  toFaultTruth,
} from '#spec'

const truthOf = (
  { faults: planned }: Problem,
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): Truth => ({
  isFaulty: planned.length > 0,
  faults: planned.map(({ fault: name, target, params, afterMs }) =>
    toFaultTruth(faults.get(name)!, { system, target, params }, afterMs),
  ),
})

/** Empty for tasks that require a repair: their hacks act on the system, and give the right answers. */
export const answerHacks = (
  problem: Problem,
  system: SystemView,
  faults: ReadonlyMap<string, Fault>,
): readonly CheapAnswer[] => {
  const { repairs, questions } = taskOf(problem.task)
  if (repairs) return []
  const truth = truthOf(problem, system, faults)
  return questions.flatMap((question) => question.cheapWrong(truth, { system, faults: [...faults.values()] }))
}
