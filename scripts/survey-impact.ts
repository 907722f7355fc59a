/** Measures which journeys of a system suffer when each of its services is gone, slow, starved or not heard; writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLocalEngine } from '../src/engines/local/index.ts'
import { yamlLibrary } from '../src/kit/index.ts'
import type { EngineCluster, Impact, System } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { listSystemNames, loadSystem } from '../src/systems/index.ts'
import { FELT_WAYS, type FeltWay, openFeltSurvey } from './survey/felt.ts'
import { createFleet, type Fleet } from './survey/fleet.ts'
import { surveyTraces } from './survey/from-traces.ts'
import { createTrouble } from './survey/trouble.ts'

const ABOUT = `# Which journeys of the usual load suffer with which service: when it is gone (down), when each of its answers comes a
# second late (slow), and which of these judges see suffer when others use up the CPU of one of its pods (starved) or half of
# what it sends is lost (lossy).`
const BROKEN = (name: string): string => `${ABOUT}
# Measured by \`npm run survey ${name}\`, which writes this file: not to be edited.
`
const TRACED = (name: string): string => `${ABOUT}
# Written by \`npm run survey ${name} -- --traces\`: the first two are read from traces; the others are measured.
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

/** A registry forgets who has registered when it goes, and those who run do not tell it again: such come last. */
const registriesLast = ({ topology }: System, services: readonly string[]): string[] => {
  const behaviours = Object.values(topology?.services ?? {}).map(({ behaviour }) => behaviour)
  const registries = new Set(behaviours.map(({ register }) => register?.in))
  return [...services].sort((one, other) => Number(registries.has(one)) - Number(registries.has(other)))
}

type Broken = Omit<Impact, FeltWay>

interface Grounds {
  readonly system: System
  readonly cluster: EngineCluster
  /** Those that are surveyed. */
  readonly services: readonly string[]
}

const sayHowLong = async <T>(
  service: string,
  measure: () => Promise<T>,
  tell: (found: T) => string,
): Promise<T> => {
  const begun = performance.now()
  const found = await measure()
  console.log(`${service} (${((performance.now() - begun) / 1000).toFixed(1)} s): ${tell(found)}`)
  return found
}

/** Breaks one service. */
const breakService = async ({ system, cluster }: Grounds, fleet: Fleet, service: string): Promise<Broken> => {
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

const breakServices = async (grounds: Grounds): Promise<Record<string, Broken>> => {
  const fleet = createFleet(grounds.system.workload!, grounds.cluster.entryPoints)
  const broken: Record<string, Broken> = {}
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) await fleet.walkHealthy()
    for (const service of registriesLast(grounds.system, grounds.services))
      broken[service] = await sayHowLong(
        service,
        () => breakService(grounds, fleet, service),
        ({ down, slow }) => `down ${down.join(' ') || '-'} | slow ${slow.join(' ') || '-'}`,
      )
  } finally {
    fleet.close()
  }
  return broken
}

/** Who suffers from a service that is gone or slow. */
const findBroken = async (grounds: Grounds, { traces, felt }: Survey): Promise<Record<string, Broken>> => {
  const { system, cluster, services } = grounds
  if (felt.length > 0 && system.impact !== undefined) return system.impact
  return traces ? surveyTraces(system, cluster, services) : breakServices(grounds)
}

/** `write` is called after each service: what is measured is not lost. */
const surveyServices = async (
  grounds: Grounds,
  wanted: Survey,
  write: (impact: Readonly<Record<string, Impact>>) => void,
): Promise<void> => {
  const { system, cluster, services } = grounds
  const broken = { ...system.impact, ...(await findBroken(grounds, wanted)) }
  const impact: Record<string, Impact> = {}
  for (const [service, { down, slow }] of Object.entries(broken).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const { starved = [], lossy = [] } = system.impact?.[service] ?? {}
    impact[service] = { down, slow, starved, lossy }
  }
  write(impact)
  const survey = await openFeltSurvey(cluster, system, broken)
  try {
    for (const service of services)
      for (const way of wanted.felt.length === 0 ? FELT_WAYS : wanted.felt) {
        const felt = await sayHowLong(
          service,
          () => survey.measure(service, way),
          (found) => `${way} ${found.join(' ') || '-'}`,
        )
        impact[service] = { ...impact[service]!, [way]: felt }
        write(impact)
      }
  } finally {
    await survey.close()
  }
}

const survey = async (wanted: Survey): Promise<void> => {
  const { name, traces } = wanted
  const system = await loadSystem(name)
  const all = createSystemView(system).workloads.map(({ service }) => service)
  const services = [...new Set(wanted.services.length === 0 ? all : wanted.services)].sort()
  const cluster = await createLocalEngine().provision(system)
  try {
    const file = join(import.meta.dirname, '..', 'src', 'systems', name, 'impact.yaml')
    await surveyServices({ system, cluster, services }, wanted, (impact) =>
      writeFileSync(file, toText((traces ? TRACED : BROKEN)(name), impact)),
    )
  } finally {
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
