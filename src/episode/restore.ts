/** The last stage: takes back what is left of the faults, brings the cluster to its baseline, and proves that users are well. */
import type { Injection } from './inject.ts'
import type { LabCore } from './lab-core.ts'
import { makeLaboratory } from './laboratory.ts'
import { proveHealth } from './prove-health.ts'

const RECOVER_MS = 3000
/** Of those that suffer when a service is down. */
const MOST_JOURNEYS = 4

/**
 * What lives in one pod is taken back quickly. The rest is objects, which the reset brings back by itself; to wait for pods
 * that it then makes anew would be for nothing.
 */
const recover = async (core: LabCore, { faults, contextOf }: Injection): Promise<void> => {
  for (const injected of faults) {
    if (injected.isRecovered || injected.fault.binding !== 'pod') continue
    // The injection's own signal has said that all is over: waiting by it would be no waiting.
    const ending = new AbortController()
    const { signal } = ending
    const sleep = (ms: number): Promise<void> => core.time.sleep(ms, signal)
    const context = { ...contextOf(injected), signal, sleep }
    await Promise.race([injected.fault.recover(context, injected.state).catch(() => {}), sleep(RECOVER_MS)])
    ending.abort(new Error('the time to take a fault back is over'))
  }
}

/** Which journeys tell soonest that the services that were hit are well again. */
const tellingJourneys = ({ view }: LabCore, { faults }: Injection): string[] => {
  const hit = faults.flatMap(({ planned }) => view.impactOf(planned.target.service).down)
  const walked = view.journeys.map(({ name }) => name)
  return [...new Set([...hit.filter((name) => walked.includes(name)), ...walked])].slice(0, MOST_JOURNEYS)
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
