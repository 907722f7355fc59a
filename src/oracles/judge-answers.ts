/** Scores what a solver answered, exactly. */
import type { Answers, Fault, Judgement } from '../spec/index.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { faultOf, toCase } from './permissions.ts'

/** The last word on each question. */
export const answersOf = ({ answers }: EpisodeFacts): Answers =>
  Object.assign({}, ...answers.map((one) => one.answers))

/** Of each fault of the problem the services that are at fault. */
export const culpritsOf = (view: EpisodeFacts): readonly (readonly string[])[] =>
  (view.problem?.faults ?? []).map((planned, index) => {
    const about = { ...toCase(view, planned), state: view.injections.get(index)?.state ?? {} }
    return faultOf(view, planned.fault).culprits?.(about) ?? [planned.target.service]
  })

const judgeDetection = (view: EpisodeFacts): Judgement => {
  const { detected } = answersOf(view)
  const isFaulty = (view.problem?.faults.length ?? 0) > 0
  // Who acts on a system in which nothing is wrong says by doing nothing that nothing is.
  const isSaid = detected ?? (view.problem?.task === 'end-to-end' && !isFaulty ? false : undefined)
  return {
    oracle: 'detection',
    holds: isSaid === isFaulty,
    evidence: `answered ${detected ?? 'nothing'}; something ${isFaulty ? 'is' : 'is not'} wrong`,
  }
}

/** With several faults, as many names as there are faults have to hit all of them. */
const judgeLocalisation = (view: EpisodeFacts): Judgement => {
  const services = [...new Set(answersOf(view).services ?? [])]
  const culprits = culpritsOf(view)
  const first = services.slice(0, culprits.length)
  const holds =
    culprits.length === 0
      ? services.length === 0
      : culprits.every((ofFault) => ofFault.some((service) => first.includes(service)))
  const right = culprits.map((ofFault) => ofFault.join(' or ')).join(', ')
  return {
    oracle: 'localisation',
    holds,
    evidence: `answered ${services.slice(0, 5).join(', ') || 'nothing'}; at fault: ${right || 'none'}`,
  }
}

/**
 * Of several faults there is one layer and one type to say: that of the fault at the service that was named first, or, where none of
 * those at fault was, of the one that came first.
 */
const analysedFaults = (view: EpisodeFacts): readonly Fault[] => {
  const planned = view.problem?.faults ?? []
  const [named] = answersOf(view).services ?? []
  const culprits = culpritsOf(view)
  const at = planned.filter((_, index) => culprits[index]!.some((service) => service === named))
  const [first] = [...planned].sort((one, other) => (one.afterMs ?? 0) - (other.afterMs ?? 0))
  const meant = at.length > 0 || first === undefined ? at : [first]
  return meant.map(({ fault }) => faultOf(view, fault))
}

/** What may be said of a fault, the best first. */
const layersOf = ({ layer, otherLayers = [] }: Fault): readonly string[] => [layer, ...otherLayers]
const typesOf = ({ type, otherTypes = [] }: Fault): readonly string[] => [type, ...otherTypes]

const judgeAnalysis = (view: EpisodeFacts): Judgement => {
  const { layer, type } = answersOf(view)
  const right = analysedFaults(view)
  const holds =
    right.length === 0
      ? layer === undefined && type === undefined
      : right.some((fault) => layersOf(fault).includes(layer ?? '') && typesOf(fault).includes(type ?? ''))
  const told = right.map((fault) => `${layersOf(fault).join('/')}, ${typesOf(fault).join('/')}`).join(' or ')
  return {
    oracle: 'analysis',
    holds,
    evidence: `answered ${layer ?? 'no layer'}, ${type ?? 'no type'}; right: ${told || 'none'}`,
  }
}

const JUDGES = { detection: judgeDetection, localisation: judgeLocalisation, analysis: judgeAnalysis }

/** What the task asks for; nothing of tasks that only act. */
export const judgeAnswers = (view: EpisodeFacts): Judgement[] => {
  const task = view.problem?.task
  if (task === 'end-to-end') return Object.values(JUDGES).map((judge) => judge(view))
  return task === 'detection' || task === 'localisation' || task === 'analysis' ? [JUDGES[task](view)] : []
}
