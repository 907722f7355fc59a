/** Judges the answers of a solver. */
import { type Answers, type Judgement, type Truth, taskOf, toFaultTruth } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { faultOf, toCase } from '../view/fault-of.ts'

/** The last answer to each question. */
export const answersOf = ({ answers }: EpisodeFacts): Answers =>
  Object.assign({}, ...answers.map((given) => given.answers))

/** The truth, against which answers are scored. Reading `faults` throws if a fault does not exist. */
export const truthOf = (view: EpisodeFacts): Truth => {
  const planned = view.problem?.faults ?? []
  return {
    isFaulty: planned.length > 0,
    get faults() {
      return planned.map((plannedFault, index) => {
        const faultCase = { ...toCase(view, plannedFault), state: view.injections.get(index)?.state ?? {} }
        return toFaultTruth(faultOf(view, plannedFault.fault), faultCase, plannedFault.afterMs)
      })
    },
  }
}

/** One judgement per question of the task; none for tasks that ask for no answers. */
export const judgeAnswers = (view: EpisodeFacts): Judgement[] => {
  if (view.problem === undefined) return []
  const task = taskOf(view.problem.task)
  return task.questions.map((question) => ({
    oracle: question.name,
    ...question.score(answersOf(view), truthOf(view), task),
  }))
}
