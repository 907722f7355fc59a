/** The question that asks whether a fault is present. */
import type { DetectionScore } from '../answers.ts'
import { type AskedEpisode, defineQuestion } from '../define-question.ts'

const toScore = (episodes: readonly AskedEpisode[]): DetectionScore => {
  const faulty = episodes.filter(({ isFaulty }) => isFaulty)
  const controls = episodes.length - faulty.length
  const detected = faulty.filter(({ holds }) => holds).length
  const missed = faulty.length - detected
  // An episode without an answer misses a fault, but is no false alarm on a control.
  const alarms = episodes.filter(
    ({ isFaulty, holds, metrics }) => !isFaulty && !holds && metrics.timeToDetect !== undefined,
  ).length
  return {
    ...(faulty.length > 0 && {
      precision: detected === 0 ? 0 : detected / (detected + alarms),
      recall: detected / faulty.length,
      f1: (2 * detected) / (2 * detected + alarms + missed),
    }),
    ...(controls > 0 && { falseAlarms: alarms / controls }),
  }
}

export const detection = defineQuestion({
  name: 'detection',
  fields: {
    detected: {
      kind: 'boolean',
      about: 'Whether a fault is present in the system.',
      prompt: 'true if a fault is present in the system, otherwise false',
      example: true,
    },
  },
  noFault: { detected: false },
  time: { metric: 'timeToDetect', label: 'Detected after' },
  figures: [
    {
      heading: 'Detection, F1',
      column: 'F1',
      note: 'F1',
      format: 'fraction',
      valueIn: ({ detection: score }) => score?.f1,
    },
    {
      heading: 'False alarms',
      column: 'FALSE ALARMS',
      note: 'false alarms',
      valueIn: ({ detection: score }) => score?.falseAlarms,
    },
  ],

  score({ detected }, { isFaulty }, { repairs }) {
    // In a control of a task that requires a repair, no answer means that nothing is wrong.
    const answer = detected ?? (repairs && !isFaulty ? false : undefined)
    return {
      holds: answer === isFaulty,
      evidence: `answered ${detected ?? 'nothing'}; the problem has ${isFaulty ? 'a' : 'no'} fault`,
    }
  },
  right: ({ isFaulty }) => ({ detected: isFaulty }),
  // An agent that always gives the same answer is wrong either with a fault or in its control.
  cheapWrong: ({ isFaulty }) => [
    isFaulty
      ? { name: 'always-no', answers: { detected: false } }
      : { name: 'always-yes', answers: { detected: true } },
  ],
  aggregate: (episodes) => ({ detection: toScore(episodes) }),
})
