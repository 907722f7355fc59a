/** A solver that gives prepared answers and changes nothing. */
import type { Answers, Solver } from '#spec'

export const answerSolver = (answers: Answers, name = 'answers'): Solver => ({
  name,
  isTrusted: true,
  async solve({ answer }) {
    answer(answers)
  },
})
