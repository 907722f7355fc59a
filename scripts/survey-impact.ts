/** Measures which journeys of a system suffer when each of its services is gone, slow, starved or not heard; writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLocalEngine } from '../src/engines/local/index.ts'
import { yamlLibrary } from '../src/kit/index.ts'
import type { EngineCluster, Impact, System } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { listSystemNames, loadSystem } from '../src/systems/index.ts'
import { createFleet, type Fleet } from './survey/fleet.ts'
import { surveyTraces } from './survey/from-traces.ts'
import { createTrouble } from './survey/trouble.ts'

const ABOUT = `# Which journeys of the usual load suffer with which service: when it is gone (down), when each of its answers comes a
# second late (slow), and which of these are felt when others use up the CPU of its pods (starved) or half of what they send
# is lost (lossy).`
const BROKEN = (name: string): string => `${ABOUT}
# Measured by \`npm run survey ${name}\`, which writes this file: not to be edited.
`
const TRACED = (name: string): string => `${ABOUT}
# Written by \`npm run survey ${name} -- --traces\`: the first two are read from traces; the others are measured, of a few
# journeys of each service.
`

const toText = (note: string, impact: Readonly<Record<string, Impact>>): string => {
  const { Document, visit } = yamlLibrary()
  const document = new Document(impact)
  visit(document, {
    Seq: (_, list) => {
      list.flow = true
    },
  })
  return note + document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

/** What users feel less than a service that is gone or slow. */
const FELT_WAYS = ['starved', 'lossy'] as const
type FeltWay = (typeof FELT_WAYS)[number]

interface Survey {
  readonly name: string
  /** All where there are none. */
  readonly services: readonly string[]
  /** Down and slow are read from traces. */
  readonly traces: boolean
  /** Only these are measured, and the rest stays as it is known; all where there are none. */
  readonly felt: readonly FeltWay[]
}

/** Until then caches and programs are cold, and what is usual would be too long. */
const WARM_ROUNDS = 4

/** Journeys in which it is measured whether users feel that a service is sick; one of many is as good as another. */
const MOST_FELT = 6
const MOST_FELT_OF_LARGE = 2
const MANY_JOURNEYS = 12

/** A registry forgets who has registered when it goes, and those who run do not tell it again: such come last. */
const registriesLast = ({ topology }: System, services: readonly string[]): string[] => {
  const behaviours = Object.values(topology?.services ?? {}).map(({ behaviour }) => behaviour)
  const registries = new Set(behaviours.map(({ register }) => register?.in))
  return [...services].sort((one, other) => Number(registries.has(one)) - Number(registries.has(other)))
}

type Broken = Omit<Impact, FeltWay>

interface Ways {
  breakIt(service: string): Promise<Broken>
  /** After each service: what is measured is not lost. */
  write(impact: Readonly<Record<string, Impact>>): void
}

interface Grounds {
  readonly system: System
  readonly cluster: EngineCluster
  readonly fleet: Fleet
}

/** Breaks one service. */
const surveyService = async ({ system, cluster, fleet }: Grounds, service: string): Promise<Broken> => {
  await fleet.walkHealthy()
  const trouble = await createTrouble(cluster.api, createSystemView(system))
  const relieve = await trouble.slowDown(service)
  const slow = await fleet.whoSuffers()
  await relieve()
  await trouble.takeDown(service)
  const down = await fleet.whoSuffers()
  await cluster.reset()
  return { down, slow }
}

/** Of the journeys that suffer when it is slow, the shortest: they feel it most. */
const surveyFelt = async (
  { system, cluster, fleet }: Grounds,
  service: string,
  { slow }: Broken,
  way: FeltWay,
): Promise<string[]> => {
  const view = createSystemView(system)
  const most = view.journeys.length > MANY_JOURNEYS ? MOST_FELT_OF_LARGE : MOST_FELT
  const usual = fleet.usual()
  const walked = [...slow].sort((one, other) => usual[one]! - usual[other]!).slice(0, most)
  if (walked.length === 0) return []
  const { starve, loseHalf } = await createTrouble(cluster.api, view)
  const trouble = { starved: starve, lossy: loseHalf }[way]
  const felt = await fleet.whoFeels(walked, () => trouble(service))
  return slow.filter((journey) => felt.includes(journey))
}

const surveyServices = async (
  grounds: Grounds,
  services: readonly string[],
  { services: only, felt }: Survey,
  { breakIt, write }: Ways,
): Promise<void> => {
  const measured: Record<string, Impact> = {}
  const inOrder = (): [string, Impact][] =>
    services.flatMap((one) => {
      const impact = measured[one] ?? grounds.system.impact?.[one]
      return impact === undefined ? [] : [[one, impact]]
    })
  for (let round = 0; round < WARM_ROUNDS; round += 1) await grounds.fleet.walkHealthy()
  for (const service of registriesLast(grounds.system, services)) {
    if (only.length > 0 && !only.includes(service)) continue
    const begun = performance.now()
    const broken = await breakIt(service)
    const known = grounds.system.impact?.[service]
    const impact = { ...broken, starved: known?.starved ?? [], lossy: known?.lossy ?? [] }
    for (const way of felt.length === 0 ? FELT_WAYS : felt)
      impact[way] = await surveyFelt(grounds, service, broken, way)
    measured[service] = impact
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const words = Object.entries(measured[service]).map(([way, names]) => `${way} ${names.join(' ') || '-'}`)
    console.log(`${service} (${seconds} s): ${words.join(' | ')}`)
    write(Object.fromEntries(inOrder()))
  }
  console.log('usual, in ms:', grounds.fleet.usual())
}

/** How it is found out who suffers from a service that is gone or slow. */
const chooseWay = async (
  grounds: Grounds,
  services: readonly string[],
  { traces, felt }: Survey,
): Promise<(service: string) => Promise<Broken>> => {
  const { system, cluster } = grounds
  const known = felt.length > 0 ? system.impact : undefined
  const traced = traces && known === undefined ? await surveyTraces(system, cluster, services) : known
  return traced === undefined
    ? (service) => surveyService(grounds, service)
    : async (service) => ({ down: traced[service]?.down ?? [], slow: traced[service]?.slow ?? [] })
}

const survey = async (wanted: Survey): Promise<void> => {
  const { name, traces } = wanted
  const system = await loadSystem(name)
  const { workloads } = createSystemView(system)
  const services = [...new Set(workloads.map(({ service }) => service))].sort()
  const cluster = await createLocalEngine().provision(system)
  const fleet = createFleet(system.workload!, cluster.entryPoints)
  try {
    const grounds = { system, cluster, fleet }
    const breakIt = await chooseWay(grounds, services, wanted)
    const file = join(import.meta.dirname, '..', 'src', 'systems', name, 'impact.yaml')
    await surveyServices(grounds, services, wanted, {
      breakIt,
      write: (impact) => writeFileSync(file, toText((traces ? TRACED : BROKEN)(name), impact)),
    })
  } finally {
    fleet.close()
    await cluster.close()
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { traces: { type: 'boolean' }, only: { type: 'string', multiple: true } },
})
const [name, ...services] = positionals
const felt = FELT_WAYS.filter((way) => values.only?.includes(way))
if (name === undefined || !listSystemNames().includes(name) || felt.length < (values.only ?? []).length) {
  const systems = listSystemNames().join(', ')
  console.error(
    `Usage: npm run survey SYSTEM [SERVICE ...] [-- --traces --only WAY], where SYSTEM is one of: ${systems}
--traces: what happens without a service, or with a slow one, is read from traces; --only ${FELT_WAYS.join(' or ')}: the rest is left as it is known.`,
  )
  process.exitCode = 2
} else await survey({ name, services, traces: values.traces === true, felt })
// Walks that nobody waits for any more would keep the process.
process.exit()
