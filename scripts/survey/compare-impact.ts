/** Compares the impact that was measured on a live cluster with that of the simulator. */
import type { Impact, System } from '#spec'
import type { ImpactKind } from './impact-survey.ts'

export type TroubleKind = keyof Impact
export const TROUBLE_KINDS = ['down', 'slow', 'starved', 'lossy'] as const satisfies readonly TroubleKind[]

/** One service and kind of trouble. */
export interface ImpactComparison {
  readonly service: string
  readonly kind: TroubleKind
  /** Journeys affected on both engines. */
  readonly both: readonly string[]
  readonly onlyLive: readonly string[]
  readonly onlySimulated: readonly string[]
  /** The number of journeys affected on neither engine. */
  readonly neither: number
}

export interface SystemComparison {
  readonly system: string
  readonly comparisons: readonly ImpactComparison[]
}

interface CompareOptions {
  readonly services: readonly string[]
  /** The measured kinds; all if empty. */
  readonly kinds: readonly ImpactKind[]
}

export const compareImpact = (
  { name, impact = {}, workload }: Pick<System, 'name' | 'impact' | 'workload'>,
  simulated: Readonly<Record<string, Impact>>,
  { services, kinds }: CompareOptions,
): SystemComparison => {
  const journeys = workload!.journeys.filter(({ weight }) => weight > 0).map((journey) => journey.name)
  const compare = (service: string, kind: TroubleKind): ImpactComparison => {
    const live = impact[service]?.[kind] ?? []
    const found = simulated[service]?.[kind] ?? []
    const isIn = (journey: string): [boolean, boolean] => [live.includes(journey), found.includes(journey)]
    const where = (inLive: boolean, inSimulated: boolean): string[] =>
      journeys.filter((journey) => {
        const [one, other] = isIn(journey)
        return one === inLive && other === inSimulated
      })
    return {
      ...{ service, kind, both: where(true, true), onlyLive: where(true, false) },
      ...{ onlySimulated: where(false, true), neither: where(false, false).length },
    }
  }
  const measured = TROUBLE_KINDS.filter((kind) => kinds.length === 0 || kinds.some((given) => given === kind))
  return {
    system: name,
    comparisons: services.flatMap((service) => measured.map((kind) => compare(service, kind))),
  }
}

export interface AgreementCount {
  readonly equal: number
  readonly all: number
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Counts journeys: one for each service, kind of trouble and journey. */
export const countAgreement = (comparisons: readonly ImpactComparison[]): AgreementCount => {
  const equal = sum(comparisons.map(({ both, neither }) => both.length + neither))
  const different = sum(
    comparisons.map(({ onlyLive, onlySimulated }) => onlyLive.length + onlySimulated.length),
  )
  return { equal, all: equal + different }
}

const toPercent = ({ equal, all }: AgreementCount): string =>
  all === 0 ? '-' : `${((100 * equal) / all).toFixed(1)} % (${equal} of ${all})`

const describeDifference = ({ service, kind, onlyLive, onlySimulated }: ImpactComparison): string =>
  [
    `  ${service} ${kind}:`,
    ...(onlyLive.length > 0 ? [`only live ${onlyLive.join(' ')}`] : []),
    ...(onlySimulated.length > 0 ? [`only simulated ${onlySimulated.join(' ')}`] : []),
  ].join(' ')

/** The agreement of each system and kind of trouble, with all differences. */
export const agreementText = (systems: readonly SystemComparison[]): string =>
  systems
    .flatMap(({ system, comparisons }) => [
      `${system}: ${toPercent(countAgreement(comparisons))} of the journeys of all services agree`,
      ...TROUBLE_KINDS.map((kind) => {
        const ofKind = comparisons.filter((each) => each.kind === kind)
        const both = sum(ofKind.map((each) => each.both.length))
        const live = both + sum(ofKind.map(({ onlyLive }) => onlyLive.length))
        return `  ${kind}: ${toPercent(countAgreement(ofKind))}; of those affected live, affected in the simulator: ${toPercent({ equal: both, all: live })}`
      }),
      ...comparisons
        .filter(({ onlyLive, onlySimulated }) => onlyLive.length + onlySimulated.length > 0)
        .map(describeDifference),
    ])
    .join('\n')
