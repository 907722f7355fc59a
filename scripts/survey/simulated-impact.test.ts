/** Tests that the journeys which services affect on simulated clusters are those measured live. The proof `impact` runs it for more systems. */
import { expect, it } from 'vitest'
import { createSimEngine } from '#platform/engines/sim'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { agreementText, compareImpact, countAgreement, type TroubleKind } from './compare-impact.ts'
import { surveyServices } from './survey-services.ts'

/**
 * The least share of journeys that must agree. Which journeys of a starved or lossy service are affected first differs between two
 * measurements on the same engine, and the CPU time of messages is not modelled.
 */
const MIN_SHARES: Readonly<Record<TroubleKind, number>> = { down: 0.95, slow: 0.95, starved: 0.8, lossy: 0.7 }

/** Systems for which impact.yaml was written with `--traces`. */
const TRACED = ['train-ticket']

/** By default, a sample: all of the smallest system, and services of another one. */
const SAMPLE: Readonly<Record<string, readonly string[]>> = {
  'simple-micro': [],
  'online-boutique': ['checkoutservice', 'currencyservice', 'paymentservice', 'productcatalogservice'],
}
const systems = process.env.IMPACT_SYSTEMS?.split(' ')

it.each(systems ?? Object.keys(SAMPLE))(
  'affects the same journeys of %s as live',
  { timeout: 7_200_000 },
  async (name) => {
    const system = await loadSystem(name)
    const sample = systems === undefined ? SAMPLE[name]! : []
    const services =
      sample.length > 0 ? sample : createSystemView(system).workloads.map(({ service }) => service)
    const cluster = await createSimEngine().provision(system)
    const lines: string[] = []
    const impact = await surveyServices({
      ...{ system, cluster, engine: 'sim', services, kinds: [], traces: TRACED.includes(name) },
      report: (line) => void lines.push(line),
    })
    await cluster.clock.run(() => cluster.close())
    const compared = compareImpact(system, impact, { services, kinds: [] })
    const text = agreementText([compared])
    if (systems !== undefined) console.log(text)
    for (const [kind, minShare] of Object.entries(MIN_SHARES)) {
      const { equal, all } = countAgreement(compared.comparisons.filter((each) => each.kind === kind))
      expect(equal / all, `${kind}: ${text}\n${lines.join('\n')}`).toBeGreaterThanOrEqual(minShare)
    }
  },
)
