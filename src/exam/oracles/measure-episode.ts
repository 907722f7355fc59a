/** Computes the metrics of an episode. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '#kit'
import { type AnswerMetrics, type Answers, answerNamesIn, type EpisodeMetrics, QUESTIONS } from '#spec'
import { answersOf, truthOf } from './answers/judge-answers.ts'
import type { EpisodeFacts } from './view/episode-view.ts'

/** The time from the start of the solver to the last change of these answers, in milliseconds. */
const timeToAnswer = (view: EpisodeFacts, names: readonly (keyof Answers)[]): number | undefined => {
  let latestAnswers: Answers = {}
  let changedAt: number | undefined
  for (const { at, answers } of view.answers) {
    const next = { ...latestAnswers, ...answers }
    if (names.some((name) => !isDeepStrictEqual(next[name], latestAnswers[name]))) changedAt = at
    latestAnswers = next
  }
  return changedAt === undefined || view.solverStartedAt === undefined
    ? undefined
    : changedAt - view.solverStartedAt
}

type AnswerMetricEntries = { readonly [Metric in keyof AnswerMetrics]: AnswerMetrics[Metric] | undefined }

const answerTimes = (view: EpisodeFacts): AnswerMetricEntries =>
  Object.fromEntries(
    QUESTIONS.map((question) => [question.time.metric, timeToAnswer(view, answerNamesIn(question))]),
  )

/** The measures of the questions that were answered, whether the task asked them or not. */
const answerMeasures = (view: EpisodeFacts): AnswerMetricEntries => {
  const answers = answersOf(view)
  const answered = QUESTIONS.filter((question) =>
    answerNamesIn(question).some((name) => answers[name] !== undefined),
  )
  return Object.fromEntries(
    answered.flatMap(({ measures = [] }) =>
      measures.map(({ metric, measure: select }) => [metric, select(answers, truthOf(view))]),
    ),
  )
}

/** The first version of the rules that counts writes. */
const RULES_WITH_WRITES = 3

/** `mitigatedAt`: the start of the window that proved the mitigation. */
export const measureEpisode = (
  view: EpisodeFacts,
  damage: number,
  mitigatedAt: number | undefined,
): EpisodeMetrics => {
  const since = Math.min(
    ...[...view.injections.values()].map((injection) => injection.since),
    view.solverStartedAt ?? view.at,
  )
  const runs = [...view.runs.values()].flat().filter(({ endedAt }) => endedAt >= since)
  // Model answers include those after the last step.
  const usages =
    view.modelAnswers.length > 0
      ? view.modelAnswers.map(({ usage, costUsd }) => ({ tokens: usage, costUsd }))
      : view.steps
  const sum = (select: (usage: (typeof usages)[number]) => number | undefined): number =>
    usages.reduce((total, usage) => total + (select(usage) ?? 0), 0)
  const isCostUnknown = usages.some(({ tokens, costUsd }) => tokens !== undefined && costUsd === undefined)
  return {
    ...defined({
      ...answerTimes(view),
      timeToMitigate:
        mitigatedAt === undefined ? undefined : mitigatedAt - (view.solverStartedAt ?? mitigatedAt),
      ...answerMeasures(view),
      writes: view.rules < RULES_WITH_WRITES || view.writes === 0 ? undefined : view.writes,
      costUsd: isCostUnknown ? undefined : sum(({ costUsd }) => costUsd),
    }),
    // Answers do not count as steps in the budget either.
    steps: view.steps.filter(({ reach }) => reach !== 'answers').length,
    tokens: { input: sum(({ tokens }) => tokens?.input), output: sum(({ tokens }) => tokens?.output) },
    collateralDamage: damage,
    journeyRunsFailed: runs.filter(({ failedAt }) => failedAt !== undefined).length,
    journeyRuns: runs.length,
  }
}
