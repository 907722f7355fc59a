/** The figures of an episode. */
import { isDeepStrictEqual } from 'node:util'
import type { Answers, EpisodeMetrics } from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { answersOf, culpritsOf } from './judge-answers.ts'

/** From the solver's beginning to the last change of what it said of these; to say the same again is none. */
const timeTo = (view: EpisodeFacts, names: readonly (keyof Answers)[]): number | undefined => {
  let said: Answers = {}
  let changed: number | undefined
  for (const { at, answers } of view.answers) {
    const next = { ...said, ...answers }
    if (names.some((name) => !isDeepStrictEqual(next[name], said[name]))) changed = at
    said = next
  }
  return changed === undefined || view.began === undefined ? undefined : changed - view.began
}

const rankOf = (view: EpisodeFacts): number | undefined => {
  const { services } = answersOf(view)
  if (services === undefined) return undefined
  const culprits = new Set(culpritsOf(view).flat())
  return [...new Set(services)].findIndex((service) => culprits.has(service)) + 1
}

const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** `mitigated`: when the window began that proved it. */
export const measureEpisode = (
  view: EpisodeFacts,
  damage: number,
  mitigated: number | undefined,
): EpisodeMetrics => {
  const since = Math.min(...[...view.injections.values()].map((one) => one.since), view.began ?? view.at)
  const walks = [...view.walks.values()].flat().filter(({ ended }) => ended >= since)
  // What models were asked after the last step counts, too.
  const usages =
    view.modelAnswers.length > 0
      ? view.modelAnswers.map(({ usage, costUsd }) => ({ tokens: usage, costUsd }))
      : view.steps
  const sum = (of: (one: (typeof usages)[number]) => number | undefined): number =>
    usages.reduce((total, one) => total + (of(one) ?? 0), 0)
  const isUnknown = usages.some(({ tokens, costUsd }) => tokens !== undefined && costUsd === undefined)
  return {
    ...present({
      timeToDetect: timeTo(view, ['detected']),
      timeToLocalise: timeTo(view, ['services']),
      timeToAnalyse: timeTo(view, ['layer', 'type']),
      timeToMitigate: mitigated === undefined ? undefined : mitigated - (view.began ?? mitigated),
      rank: rankOf(view),
      costUsd: isUnknown ? undefined : sum(({ costUsd }) => costUsd),
    }),
    // As the budget counts them.
    steps: view.steps.filter(({ action }) => action !== 'submit').length,
    tokens: { input: sum(({ tokens }) => tokens?.input), output: sum(({ tokens }) => tokens?.output) },
    collateralDamage: damage,
    walksLost: walks.filter(({ failedAt }) => failedAt !== undefined).length,
    walks: walks.length,
  }
}
