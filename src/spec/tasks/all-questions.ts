/** All questions, in the order in which they are judged and reported. */
import type { Answers } from './answers.ts'
import type { QuestionDeclaration, ScoreFigure } from './define-question.ts'
import { analysis } from './questions/analysis.ts'
import { detection } from './questions/detection.ts'
import { localisation } from './questions/localisation.ts'

export const QUESTIONS = [detection, localisation, analysis] as const

export type QuestionName = (typeof QUESTIONS)[number]['name']
export type Question = QuestionDeclaration<QuestionName>

/** The fields of the answer to a question. */
export const answerNamesIn = ({ fields }: Pick<Question, 'fields'>): readonly (keyof Answers)[] =>
  Object.keys(fields) as (keyof Answers)[]

/** The figures of all questions, in the order of their columns. */
export const SCORE_FIGURES: readonly ScoreFigure[] = QUESTIONS.flatMap(({ figures }) => figures)

/** The right answers to all questions. */
export const toRightAnswers = (truth: Parameters<Question['right']>[0]): Answers =>
  Object.assign({}, ...QUESTIONS.map((question) => question.right(truth)))
