/** The last stage: takes back what is left of the faults, brings the cluster to its baseline, and proves that users are well. */
import { RemediumError } from '../spec/index.ts'
import type { Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { makeLaboratory } from './laboratory.ts'

const RECOVER_MS = 3000
const PATIENCE_MS = 30_000
/** Walked without fault before all counts as well again. */
const JOURNEYS = 4
const WALKS = 2

/**
 * What lives in one pod is taken back quickly. The rest is objects, which the reset brings back by itself; to wait for pods
 * that it then makes anew would be for nothing.
 */
const recover = async (core: LabCore, { faults, contextOf }: Injection): Promise<void> => {
  for (const injected of faults) {
    if (injected.isRecovered || injected.fault.binding !== 'pod') continue
    const context = { ...contextOf(injected), signal: AbortSignal.timeout(RECOVER_MS) }
    await Promise.race([
      injected.fault.recover(context, injected.state).catch(() => {}),
      core.time.sleep(RECOVER_MS),
    ])
  }
}

/** Which journeys tell soonest that the services that were hit are well again. */
const tellingJourneys = ({ view }: LabCore, { faults }: Injection): string[] => {
  const hit = faults.flatMap(({ planned }) => view.impactOf(planned.target.service).down)
  const walked = view.journeys.map(({ name }) => name)
  return [...new Set([...hit.filter((name) => walked.includes(name)), ...walked])].slice(0, JOURNEYS)
}

/** Until the last walks of some journeys were all good. */
export const proveHealth = async (core: LabCore, journeys: readonly string[]): Promise<void> => {
  const deadline = core.time.precise() + PATIENCE_MS
  core.walks = []
  for (;;) {
    const open = journeys.filter((name) => {
      const last = core.walks.filter(({ journey }) => journey === name).slice(-WALKS)
      return last.length < WALKS || last.some(({ ok }) => !ok)
    })
    if (open.length === 0) {
      // They were walked as judges will let them be walked: what is usual then must be known.
      for (const name of journeys)
        for (const walk of core.walks.filter(({ journey }) => journey === name).slice(-WALKS))
          core.healthy.add(walk)
      return
    }
    if (core.time.precise() > deadline)
      throw new RemediumError(
        'not-ready',
        `${core.view.name} was reset, and ${open[0]} still fails after ${PATIENCE_MS / 1000} s.`,
        { blame: 'harness' },
      )
    for (const name of open) core.users.walk(name, WALKS)
    await core.news(200)
  }
}

/** Of failures these are of one episode, and the next is free of them. */
const PASSING: readonly string[] = ['record-lost', 'clock-jumped']

export const resetSystem = async (core: LabCore): Promise<void> => {
  if (core.failure !== undefined && PASSING.includes(core.failure.code)) core.failure = undefined
  core.users.setRate(1)
  await core.cluster.reset()
  await makeLaboratory(core.cluster)
  core.users.renewUsers()
  core.resetAt = core.time.precise()
}

export const restore = async (core: LabCore, injection: Injection): Promise<void> => {
  core.log = undefined
  await injection.stop()
  await recover(core, injection)
  await resetSystem(core)
  await proveHealth(core, tellingJourneys(core, injection))
  core.walks = []
  core.wellSince = core.time.precise()
}
