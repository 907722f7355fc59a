/** Walks every journey until programs are warm and enough walks are remembered. */
import { RemediumError } from '../spec/index.ts'
import type { LabCore } from './lab-core.ts'

/** Of each journey; of systems with many journeys, which are large ones, fewer. */
const WALKS = 8
const WALKS_OF_LARGE = 3
const MANY_JOURNEYS = 12
const PATIENCE_MS = 60_000
/** Walks that programs are still cold in: they are not remembered. */
const COLD_WALKS = 2

export const walksWanted = ({ view }: LabCore): number =>
  view.journeys.length > MANY_JOURNEYS ? WALKS_OF_LARGE : WALKS

/** Asks for walks until each journey has so many good ones in the count. */
const walkUntil = async (
  core: LabCore,
  count: (journey: string) => number,
  wanted: number,
): Promise<void> => {
  const deadline = core.time.precise() + PATIENCE_MS
  for (;;) {
    const open = core.view.journeys.filter(({ name }) => count(name) < wanted)
    if (open.length === 0) return
    if (core.time.precise() > deadline)
      throw new RemediumError(
        'not-ready',
        `The journey ${open[0]!.name} was walked ${count(open[0]!.name)} times in ${PATIENCE_MS / 1000} s and not ${wanted} times.`,
        { blame: 'harness' },
      )
    for (const { name } of open) core.users.walk(name, wanted - count(name))
    await core.news(200)
  }
}

export const warmUp = async (core: LabCore): Promise<void> => {
  core.wellSince = undefined
  core.walks = []
  await walkUntil(
    core,
    (name) => core.walks.filter(({ journey, ok }) => ok && journey === name).length,
    COLD_WALKS,
  )
  core.healthy.forget()
  core.wellSince = core.time.precise()
  await walkUntil(core, core.healthy.count, walksWanted(core))
  core.cluster.telemetry?.renewAlerts()
}
