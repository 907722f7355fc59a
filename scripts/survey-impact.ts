/** Measures which journeys of a system suffer when each of its services is gone or slow, and writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLocalEngine } from '../src/engines/local/index.ts'
import { yamlLibrary } from '../src/kit/index.ts'
import type { EngineCluster, Impact, System } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { listSystemNames, loadSystem } from '../src/systems/index.ts'
import { createFleet } from './survey/fleet.ts'
import { surveyTraces } from './survey/from-traces.ts'
import { createTrouble } from './survey/trouble.ts'

const ABOUT = `# Which journeys of the usual load suffer with which service: when it is gone (down), and when each of its answers
# comes a second late (slow).`
const BROKEN = (
  name: string,
): string => `${ABOUT} Measured by \`npm run survey ${name}\`, which writes this file: not to be edited.
`
const TRACED = (
  name: string,
): string => `${ABOUT} Read from traces by \`npm run survey ${name} -- --traces\`, which writes this file.
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
  readonly only: readonly string[]
  readonly traces: boolean
}

/** A registry forgets who has registered when it goes, and those who run do not tell it again: such come last. */
const registriesLast = ({ topology }: System, services: readonly string[]): string[] => {
  const behaviours = Object.values(topology?.services ?? {}).map(({ behaviour }) => behaviour)
  const registries = new Set(behaviours.map(({ register }) => register?.in))
  return [...services].sort((one, other) => Number(registries.has(one)) - Number(registries.has(other)))
}

/** Breaks one service after another. */
const surveyServices = async (
  system: System,
  cluster: EngineCluster,
  services: readonly string[],
  only: readonly string[],
): Promise<Record<string, Impact>> => {
  const view = createSystemView(system)
  const fleet = createFleet(system.workload!, cluster.entryPoints)
  const measured: Record<string, Impact> = {}
  for (const service of registriesLast(system, services)) {
    if (only.length > 0 && !only.includes(service)) {
      const known = system.impact?.[service]
      if (known !== undefined) measured[service] = known
      continue
    }
    const begun = performance.now()
    await fleet.walkHealthy()
    const trouble = await createTrouble(cluster.api, view)
    const relieve = await trouble.slowDown(service)
    const slow = await fleet.whoSuffers()
    await relieve()
    await trouble.takeDown(service)
    const down = await fleet.whoSuffers()
    await cluster.reset()
    measured[service] = { down, slow }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`${service} (${seconds} s): down ${down.join(' ') || '-'} | slow ${slow.join(' ') || '-'}`)
  }
  console.log('usual, in ms:', fleet.usual())
  fleet.close()
  return Object.fromEntries(services.filter((one) => one in measured).map((one) => [one, measured[one]!]))
}

const survey = async ({ name, only, traces }: Survey): Promise<void> => {
  const system = await loadSystem(name)
  const { workloads } = createSystemView(system)
  const services = [...new Set(workloads.map(({ service }) => service))].sort()
  const cluster = await createLocalEngine().provision(system)
  try {
    const impact = traces
      ? await surveyTraces(system, cluster, services)
      : await surveyServices(system, cluster, services, only)
    const file = join(import.meta.dirname, '..', 'src', 'systems', name, 'impact.yaml')
    writeFileSync(file, toText((traces ? TRACED : BROKEN)(name), impact))
  } finally {
    await cluster.close()
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { traces: { type: 'boolean' } },
})
const [name, ...only] = positionals
if (name === undefined || !listSystemNames().includes(name)) {
  const systems = listSystemNames().join(', ')
  console.error(
    `Usage: npm run survey SYSTEM [SERVICE ...] [-- --traces], where SYSTEM is one of: ${systems}`,
  )
  process.exitCode = 2
} else await survey({ name, only, traces: values.traces === true })
// Walks that nobody waits for any more would keep the process.
process.exit()
