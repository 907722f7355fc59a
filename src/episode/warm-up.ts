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
/** Of the journeys that are remembered so many at once: judges ask for a few, and all at once would take each other's time. */
const JOURNEYS_AT_A_TIME = 2

const walksWanted = ({ view }: LabCore): number =>
  view.journeys.length > MANY_JOURNEYS ? WALKS_OF_LARGE : WALKS

/** Asks for walks until each journey has so many good ones in the count. */
const walkUntil = async (
  core: LabCore,
  count: (journey: string) => number,
  { wanted, journeysAtATime }: { wanted: number; journeysAtATime: number },
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
    for (const { name } of open.slice(0, journeysAtATime)) core.users.walk(name, wanted - count(name))
    await core.news(200)
  }
}

export const warmUp = async (core: LabCore): Promise<void> => {
  core.wellSince = undefined
  core.walks = []
  await walkUntil(core, (name) => core.walks.filter(({ journey, ok }) => ok && journey === name).length, {
    wanted: COLD_WALKS,
    journeysAtATime: core.view.journeys.length,
  })
  core.healthy.forget()
  core.wellSince = core.time.precise()
  await walkUntil(core, core.healthy.count, {
    wanted: walksWanted(core),
    journeysAtATime: JOURNEYS_AT_A_TIME,
  })
  core.cluster.telemetry?.renewAlerts()
}
