/** The answers of solvers, and the metrics and scores that are derived from them. Each field belongs to one question. */
import type { FaultLayer, FaultType } from '../fault.ts'

/** The answers of a solver; each task asks for some of them. */
export interface Answers {
  readonly detected?: boolean
  /** In descending order of likelihood. */
  readonly services?: readonly string[]
  /**
   * Layer and type belong to one fault: if there are several, to the one at the service that is named first.
   */
  readonly layer?: FaultLayer
  readonly type?: FaultType
}

/** Metrics of the answers in one episode. */
export interface AnswerMetrics {
  /** Milliseconds from the start of the solver to the last change of the answer; absent without an answer. */
  readonly timeToDetect?: number
  readonly timeToLocalise?: number
  readonly timeToAnalyse?: number
  /** Localisation: the position of the first culprit in the answer, from 1; 0 if it is missing. */
  readonly rank?: number
}

export interface DetectionScore {
  /** Precision, recall and F1 are absent if no episode had a fault. */
  readonly precision?: number
  readonly recall?: number
  readonly f1?: number
  /** The share of controls in which a fault was reported; absent without controls. */
  readonly falseAlarms?: number
}

/** Scores of the answers over many episodes; absent if no episode asked the question. */
export interface AnswerScores {
  readonly detection?: DetectionScore
  /** Over faulty episodes that asked for services: the share with a culprit among the first 1, 3 or 5. */
  readonly top?: { readonly 1: number; readonly 3: number; readonly 5: number }
  /** Over faulty episodes that asked for layer and type: the share in which both were right. */
  readonly exactMatch?: number
}
