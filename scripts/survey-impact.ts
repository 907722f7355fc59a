/** `npm run survey SYSTEM`: measures which journeys each service of a system affects, and writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { yamlLibrary } from '#kit'
import { createLocalEngine } from '#platform/engines/local'
import { createSimEngine } from '#platform/engines/sim'
import { ENGINE_NAMES, type EngineName, type Impact } from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'
import { agreementText, compareImpact } from './survey/compare-impact.ts'
import { IMPACT_KINDS, type ImpactKind } from './survey/impact-survey.ts'
import { surveyServices } from './survey/survey-services.ts'

const ABOUT = `# The journeys of the default load that each service affects if it is unavailable (down), or if each of its responses takes a
# second longer (slow). Of the slow ones: those in which the oracles detect impact if the CPU of one of the service's pods is
# exhausted (starved), or if half of its packets are lost (lossy).`
const measuredHeader = (name: string): string => `${ABOUT}
# Measured by \`npm run survey ${name}\`, which writes this file: do not edit.
`
const tracedHeader = (name: string): string => `${ABOUT}
# Written by \`npm run survey ${name} -- --traces\`: \`down\` and \`slow\` are derived from traces; the others are measured.
`

const toText = (header: string, impact: Readonly<Record<string, Impact>>): string => {
  const { Document, visit } = yamlLibrary()
  const document = new Document(impact)
  visit(document, {
    Seq: (_, list) => {
      list.flow = true
    },
  })
  return header + document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

interface SurveyOptions {
  readonly name: string
  readonly engine: EngineName
  /** All services if empty. */
  readonly services: readonly string[]
  readonly traces: boolean
  readonly kinds: readonly ImpactKind[]
}

/** On simulated clusters, prints the agreement with `impact.yaml` instead of writing the file. */
const survey = async ({ name, engine, traces, kinds, ...options }: SurveyOptions): Promise<void> => {
  const system = await loadSystem(name)
  const all = createSystemView(system).workloads.map(({ service }) => service)
  const services = [...new Set(options.services.length === 0 ? all : options.services)].sort()
  const isSimulated = engine === 'sim'
  const cluster = await (isSimulated ? createSimEngine() : createLocalEngine()).provision(system)
  const setting = { system, cluster, engine, services, traces, kinds, report: console.log }
  try {
    if (isSimulated) {
      const simulated = await surveyServices(setting)
      console.log(agreementText([compareImpact(system, simulated, { services, kinds })]))
      return
    }
    const file = join(import.meta.dirname, '..', 'src', 'world', 'systems', name, 'impact.yaml')
    const header = (traces ? tracedHeader : measuredHeader)(name)
    await surveyServices({ ...setting, write: (impact) => writeFileSync(file, toText(header, impact)) })
  } finally {
    // Ending the process is enough for a simulated cluster.
    if (!isSimulated) await cluster.close()
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    traces: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    engine: { type: 'string', default: 'local' },
  },
})
const [name, ...services] = positionals
const kinds = IMPACT_KINDS.filter((kind) => values.only?.includes(kind))
const engine = ENGINE_NAMES.find((known) => known === values.engine)
if (
  name === undefined ||
  !listSystemNames().includes(name) ||
  engine === undefined ||
  kinds.length < (values.only ?? []).length
) {
  const systems = listSystemNames().join(', ')
  console.error(
    `Usage: npm run survey SYSTEM [SERVICE ...] [-- --traces --only KIND --engine ENGINE], where SYSTEM is one of: ${systems}
--traces derives the impact of unavailable and slow services from traces; --only ${IMPACT_KINDS.join(' or ')} measures only that kind;
--engine sim prints how the simulator agrees with impact.yaml, and does not write it.`,
  )
  process.exitCode = 2
} else await survey({ name, engine, services, traces: values.traces === true, kinds })
// Abandoned journey runs would keep the process alive.
process.exit()
