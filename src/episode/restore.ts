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

/** Whether what is written there outlives the service's pods. */
const keepsData = ({ view }: LabCore, service: string): boolean => {
  const workload = view.workloads.find((one) => one.service === service)
  const { volumeClaimTemplates } = (workload?.manifest.spec ?? {}) as { volumeClaimTemplates?: unknown }
  const claims = workload?.podSpec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined)
  return workload === undefined || volumeClaimTemplates !== undefined || claims === true
}

/** Of failures these are of one episode, and the next is free of them. */
const PASSING: readonly string[] = ['record-lost', 'clock-jumped']

/** Then what users have written has become so much that lists of it take longer than at the beginning. */
const MOST_KEPT = 10

/** With `keepData` what users have written may stay, for some time. */
export const resetSystem = async (
  core: LabCore,
  { keepData = false, isTrusted = false, keepNewPods = false } = {},
): Promise<void> => {
  if (core.failure !== undefined && PASSING.includes(core.failure.code)) core.failure = undefined
  core.users.setRate(1)
  core.resetsWithData = keepData && core.resetsWithData < MOST_KEPT ? core.resetsWithData + 1 : 0
  await core.cluster.reset({ keepData: core.resetsWithData > 0, isTrusted, keepNewPods })
  await makeLaboratory(core.cluster, core.view.namespace)
  core.users.renewUsers()
  core.resetAt = core.time.precise()
}

/** `isTrusted`: nobody but solvers of the laboratory has had the cluster. */
export const restore = async (core: LabCore, injection: Injection, isTrusted = true): Promise<void> => {
  core.log = undefined
  await injection.stop()
  await recover(core, injection)
  const hit = injection.faults.map(({ planned }) => planned.target.service)
  await resetSystem(core, {
    keepData: !hit.some((service) => keepsData(core, service)),
    isTrusted,
    // What was in one pod has gone with it, or was taken back.
    keepNewPods: isTrusted && injection.faults.every(({ fault }) => fault.binding === 'pod'),
  })
  await proveHealth(core, tellingJourneys(core, injection))
  // Until they were well some may have met pods that were just coming.
  core.cluster.telemetry?.renewAlerts()
  core.walks = []
  core.wellSince = core.time.precise()
}
