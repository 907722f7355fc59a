/** Formats the metrics of answers. The browser receives formatted strings, so that its script needs no declarations of questions. */
import { type EpisodeMetrics, QUESTIONS } from '#spec'
import { duration } from '../view/format.ts'
import type { EpisodeDetails } from '../view/story.ts'

export const toAnswerMeasures = (metrics: EpisodeMetrics): EpisodeDetails['answerMeasures'] => {
  const format = (
    label: string,
    value: number | undefined,
    toText: (value: number) => string,
  ): EpisodeDetails['answerMeasures'] => (value === undefined ? [] : [[label, toText(value)]])
  return [
    ...QUESTIONS.flatMap(({ time }) => format(time.label, metrics[time.metric], duration)),
    ...QUESTIONS.flatMap(({ measures = [] }) => measures).flatMap(({ label, metric }) =>
      format(label, metrics[metric], String),
    ),
  ]
}
