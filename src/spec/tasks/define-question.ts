/** The contract of a question: what it asks, how answers are scored, and how scores are presented. */
import type { Fault, Finding, SystemView } from '../fault.ts'
import type { AnswerMetrics, AnswerScores, Answers } from './answers.ts'
import type { Truth } from './truth.ts'

/** One field of the answer, as the action `submit` accepts it. */
export type AnswerField = {
  /** The description in the schema of `submit`. */
  readonly about: string
  /** The description in the prompts of agents; follows the name of the field. */
  readonly prompt: string
} & (
  | { readonly kind: 'boolean'; readonly example: boolean }
  /** Names of services. Names that do not exist are refused. */
  | { readonly kind: 'services'; readonly example: readonly string[]; readonly max: number }
  | { readonly kind: 'choice'; readonly example: string; readonly choices: readonly string[] }
)

/** A wrong answer that needs no observation of the system. Validation proves that no problem rewards it. */
export interface CheapAnswer {
  readonly name: string
  readonly answers: Answers
}

/** The knowledge on which a cheap answer may be based: the system, and the catalogue of faults. */
export interface PublicKnowledge {
  readonly system: Pick<SystemView, 'workloads' | 'edges' | 'callersOf'>
  readonly faults: readonly Pick<Fault, 'layer' | 'type'>[]
}

/** An episode that asked the question and is not void. */
export interface AskedEpisode {
  readonly isFaulty: boolean
  /** Whether the answer was right. */
  readonly holds: boolean
  readonly metrics: AnswerMetrics
}

/** A number that reports derive from the scores: a column of tables. The first figure of a question is also its headline. */
export interface ScoreFigure {
  /** The heading in HTML reports. */
  readonly heading: string
  /** The heading in tables for terminals. */
  readonly column: string
  /** The explanation of a number, shown next to it. */
  readonly note: string
  /** `percent` by default; terminals print a `fraction` as a decimal number. */
  readonly format?: 'percent' | 'fraction'
  valueIn(scores: AnswerScores): number | undefined
}

/** A metric of one episode that depends on the answer. */
export interface AnswerMeasure {
  readonly metric: keyof AnswerMetrics
  readonly label: string
  measure(answers: Answers, truth: Truth): number | undefined
}

export interface QuestionDeclaration<Name extends string = string> {
  /**
   * Also the name of its judgement, and its title in reports. Must never change, because records contain it.
   */
  readonly name: Name
  readonly fields: Readonly<Partial<Record<keyof Answers, AnswerField>>>
  /**
   * The answer that there is no fault, if the question has one. With it, no other question needs an answer.
   */
  readonly noFault?: Answers
  /** The metric of the time until the last change of the answer. */
  readonly time: { readonly metric: keyof AnswerMetrics; readonly label: string }
  readonly measures?: readonly AnswerMeasure[]
  readonly figures: readonly ScoreFigure[]
  /** Scores the last answer to each question. `repairs`: whether the task also requires a repair. */
  score(answers: Answers, truth: Truth, task: { readonly repairs: boolean }): Finding
  right(truth: Truth): Answers
  /** Returns only wrong answers, because an answer that is right by chance proves nothing. */
  cheapWrong(truth: Truth, knowledge: PublicKnowledge): readonly CheapAnswer[]
  /** Aggregates one or more episodes. */
  aggregate(episodes: readonly AskedEpisode[]): AnswerScores
}

export const defineQuestion = <const Name extends string>(
  question: QuestionDeclaration<Name>,
): QuestionDeclaration<Name> => question
