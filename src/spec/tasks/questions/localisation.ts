/** The question that asks which services are at fault. */
import type { Answers } from '../answers.ts'
import { type CheapAnswer, defineQuestion, type PublicKnowledge } from '../define-question.ts'
import type { Truth } from '../truth.ts'

const MAX_SERVICES = 50
const MAX_SHOWN_SERVICES = 5

/** With n faults, the first n services must include a culprit of each fault. */
const areCulpritsFirst = (services: readonly string[], { faults }: Truth): boolean => {
  const first = services.slice(0, faults.length)
  return faults.length === 0
    ? services.length === 0
    : faults.every(({ culprits }) => culprits.some((service) => first.includes(service)))
}

const findRank = ({ services = [] }: Answers, { faults }: Truth): number => {
  const culprits = new Set(faults.flatMap((fault) => fault.culprits))
  return [...new Set(services)].findIndex((service) => culprits.has(service)) + 1
}

/** The service that users reach first: it has no callers and calls the most services. */
const findEntryService = ({ workloads, edges, callersOf }: PublicKnowledge['system']): string => {
  const countCalls = (service: string): number => edges.filter(({ from }) => from === service).length
  const [entry] = workloads
    .map(({ service }) => service)
    .filter((service) => callersOf(service).length === 0)
    .sort((a, b) => countCalls(b) - countCalls(a))
  return entry ?? workloads[0]!.service
}

const listCheapAnswers = ({ system }: PublicKnowledge): CheapAnswer[] => [
  {
    name: 'name-every-service',
    answers: { services: system.workloads.map(({ service }) => service).sort() },
  },
  { name: 'name-entry-service', answers: { services: [findEntryService(system)] } },
]

export const localisation = defineQuestion({
  name: 'localisation',
  fields: {
    services: {
      kind: 'services',
      about:
        'The names of the services at fault, most likely first. A service is at fault if the fault is in its settings, ' +
        'objects or data, or acts directly on its pods, for example through a faulty node, a quota or too many users. A ' +
        'service that fails only because it calls another one is not at fault. If there are several faults, first name ' +
        'one service for each fault.',
      prompt:
        'the names of the services at fault, most likely first, with one service for each fault at the beginning (a ' +
        'service is at fault if the fault is in its settings, objects or data, or acts directly on its pods, for example ' +
        'through a faulty node, a quota or too many users, but not if it fails only because it calls another service)',
      example: ['cart'],
      max: MAX_SERVICES,
    },
  },
  time: { metric: 'timeToLocalise', label: 'Localised after' },
  measures: [{ metric: 'rank', label: 'Rank of the culprit', measure: findRank }],
  figures: [
    { heading: 'Named first', column: 'TOP 1', note: 'named first', valueIn: ({ top }) => top?.[1] },
    { heading: 'In first 3', column: 'TOP 3', note: 'in the first 3', valueIn: ({ top }) => top?.[3] },
  ],

  score(answers, truth) {
    const services = [...new Set(answers.services ?? [])]
    const answered = services.slice(0, MAX_SHOWN_SERVICES).join(', ') || 'nothing'
    const right = truth.faults.map(({ culprits }) => culprits.join(' or ')).join(', ') || 'none'
    return {
      holds: areCulpritsFirst(services, truth),
      evidence: `answered ${answered}; at fault: ${right}`,
    }
  },
  right({ faults }) {
    // Only as many names count as there are faults, so the list begins with one culprit of each fault.
    const services = [
      ...faults.map(({ culprits }) => culprits[0]!),
      ...faults.flatMap(({ culprits }) => culprits),
    ]
    return { services: [...new Set(services)] }
  },
  cheapWrong: (truth, knowledge) =>
    listCheapAnswers(knowledge).filter(({ answers: { services } }) => {
      const [first] = services!
      return !truth.faults.some(({ culprits }) => culprits.includes(first!))
    }),
  aggregate(episodes) {
    const ranks = episodes.filter(({ isFaulty }) => isFaulty).map(({ metrics }) => metrics.rank ?? 0)
    if (ranks.length === 0) return {}
    const shareWithin = (max: number): number =>
      ranks.filter((rank) => rank > 0 && rank <= max).length / ranks.length
    return { top: { 1: shareWithin(1), 3: shareWithin(3), 5: shareWithin(5) } }
  },
})
