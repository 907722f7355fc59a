/** Measures which journeys of a system suffer when each of its services is gone or slow, and writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalEngine } from '../src/engines/local/index.ts'
import { yamlLibrary } from '../src/kit/index.ts'
import type { Impact } from '../src/spec/index.ts'
import { createSystemView } from '../src/system-view/index.ts'
import { listSystemNames, loadSystem } from '../src/systems/index.ts'
import { createFleet } from './survey/fleet.ts'
import { createTrouble } from './survey/trouble.ts'

const NOTE = (
  name: string,
): string => `# Which journeys of the usual load suffer with which service: when it is gone (down), and when each of its answers
# comes a second late (slow). Measured by \`npm run survey ${name}\`, which writes this file; not to be edited by hand.
`

const toText = (name: string, impact: Readonly<Record<string, Impact>>): string => {
  const { Document, visit } = yamlLibrary()
  const document = new Document(impact)
  visit(document, {
    Seq: (_, list) => {
      list.flow = true
    },
  })
  return NOTE(name) + document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

/** Of these services, or of all. */
const survey = async (name: string, only: readonly string[]): Promise<Record<string, Impact>> => {
  const system = await loadSystem(name)
  const view = createSystemView(system)
  const services = [...new Set(view.workloads.map(({ service }) => service))].sort()
  const cluster = await createLocalEngine().provision(system)
  const fleet = createFleet(system.workload!, cluster.entryPoints)
  const measured: Record<string, Impact> = {}
  try {
    for (const service of services) {
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
  } finally {
    fleet.close()
    await cluster.close()
  }
  return measured
}

const [name, ...only] = process.argv.slice(2)
if (name === undefined || !listSystemNames().includes(name)) {
  console.error(
    `Usage: npm run survey SYSTEM [SERVICE ...], where SYSTEM is one of: ${listSystemNames().join(', ')}`,
  )
  process.exitCode = 2
} else {
  const impact = await survey(name, only)
  const file = join(import.meta.dirname, '..', 'src', 'systems', name, 'impact.yaml')
  writeFileSync(file, toText(name, impact))
}
