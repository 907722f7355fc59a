/** The question that asks for the layer and the type of the cause. */
import { FAULT_LAYERS, FAULT_TYPES, LAYER_MEANINGS, TYPE_MEANINGS } from '../../fault.ts'
import type { Answers } from '../answers.ts'
import { defineQuestion } from '../define-question.ts'
import type { FaultTruth, Truth } from '../truth.ts'

const listMeanings = (meanings: Readonly<Record<string, string>>): string =>
  Object.entries(meanings)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join('; ')

/** The fault to which layer and type refer. */
const ANALYSED_FAULT =
  'If there are several faults: of the fault at the first service in `services`; if the task does not ask for ' +
  'services, of the fault that began first.'
const ANALYSED_FAULT_PROMPT =
  'if there are several faults, of the one at the first service in `services`, or of the earliest one if you submit no services'

const findFirstFault = ({ faults }: Truth): FaultTruth | undefined =>
  [...faults].sort((a, b) => a.afterMs - b.afterMs)[0]

/**
 * Returns the faults to which the answered layer and type can refer: those at the service that the solver
 * named first, or the earliest fault if that service is not at fault.
 */
const findAnalysedFaults = (
  { services: [firstService] = [] }: Answers,
  truth: Truth,
): readonly FaultTruth[] => {
  const atFirstService = truth.faults.filter(({ culprits }) =>
    culprits.some((service) => service === firstService),
  )
  const first = findFirstFault(truth)
  return atFirstService.length > 0 || first === undefined ? atFirstService : [first]
}

const fits = ({ layer, type }: Answers, { layers, types }: FaultTruth): boolean =>
  layer !== undefined && type !== undefined && layers.includes(layer) && types.includes(type)

/** Returns the first in alphabetical order if several are equally common. */
const findMostCommon = <T extends string>(words: readonly T[]): T => {
  const counts = new Map<T, number>()
  for (const word of [...words].sort()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0]
}

export const analysis = defineQuestion({
  name: 'analysis',
  fields: {
    layer: {
      kind: 'choice',
      about: `The layer of the cause. ${listMeanings(LAYER_MEANINGS)}. ${ANALYSED_FAULT}`,
      prompt: `the layer of the cause (${ANALYSED_FAULT_PROMPT}), one of ${FAULT_LAYERS.join(', ')}`,
      example: 'application',
      choices: FAULT_LAYERS,
    },
    type: {
      kind: 'choice',
      about: `The type of the cause. ${listMeanings(TYPE_MEANINGS)}. ${ANALYSED_FAULT}`,
      prompt: `the type of the cause of the same fault, one of ${FAULT_TYPES.join(', ')}`,
      example: 'misconfiguration',
      choices: FAULT_TYPES,
    },
  },
  time: { metric: 'timeToAnalyse', label: 'Analysed after' },
  figures: [
    {
      heading: 'Analysis',
      column: 'EXACT',
      note: 'layer and type right',
      valueIn: ({ exactMatch }) => exactMatch,
    },
  ],

  score(answers, truth) {
    const { layer, type } = answers
    const analysed = findAnalysedFaults(answers, truth)
    const correct = analysed.map(({ layers, types }) => `${layers.join('/')}, ${types.join('/')}`)
    return {
      holds:
        analysed.length === 0
          ? layer === undefined && type === undefined
          : analysed.some((fault) => fits(answers, fault)),
      evidence: `answered ${layer ?? 'no layer'}, ${type ?? 'no type'}; correct: ${correct.join(' or ') || 'none'}`,
    }
  },
  right(truth) {
    const first = findFirstFault(truth)
    return first === undefined ? {} : { layer: first.layers[0]!, type: first.types[0]! }
  },
  cheapWrong(truth, { faults }) {
    const answers = {
      layer: findMostCommon(faults.map(({ layer }) => layer)),
      type: findMostCommon(faults.map(({ type }) => type)),
    }
    return truth.faults.some((fault) => fits(answers, fault))
      ? []
      : [{ name: 'most-common-layer-and-type', answers }]
  },
  aggregate(episodes) {
    const faulty = episodes.filter(({ isFaulty }) => isFaulty)
    return faulty.length === 0
      ? {}
      : { exactMatch: faulty.filter(({ holds }) => holds).length / faulty.length }
  },
})
