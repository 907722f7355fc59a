/** Stage 7: recovers the remaining faults, resets the cluster, and waits until users are served well again. */
import { viewAs } from '#spec'
import { defineStage } from '../episode-context.ts'
import type { Equipment } from '../laboratory/equipment.ts'
import { waitUntilHealthy } from '../laboratory/wait-until-healthy.ts'
import type { Injection } from './injection.ts'

const RECOVER_TIMEOUT_MS = 3000
const MAX_JOURNEYS = 4

/**
 * Recovers faults that are bound to a pod. Other faults are in objects, which the reset restores; waiting for pods that the reset
 * recreates would be wasted time.
 */
const recoverPodFaults = async ({ time }: Equipment, { faults, contextOf }: Injection): Promise<void> => {
  for (const injected of faults) {
    if (injected.isRecovered || injected.fault.binding !== 'pod') continue
    // The injection's own signal is already aborted, so waiting needs another one.
    const controller = new AbortController()
    const { signal } = controller
    const sleep = (ms: number): Promise<void> => time.sleep(ms, signal)
    const context = { ...contextOf(injected), signal, sleep }
    const recovering = injected.fault.recover(context, injected.state).catch(() => {})
    await Promise.race([recovering, sleep(RECOVER_TIMEOUT_MS)])
    controller.abort(new Error('the recovery of the fault has ended'))
  }
}

/** At most `MAX_JOURNEYS` journeys: those that depend on the services of the faults, then others. */
const measuredJourneys = ({ view }: Equipment, { faults }: Injection): string[] => {
  const dependent = faults.flatMap(({ planned }) => view.impactOf(planned.target.service).down)
  const loaded = view.journeys.map(({ name }) => name)
  return [...new Set([...dependent.filter((name) => loaded.includes(name)), ...loaded])].slice(
    0,
    MAX_JOURNEYS,
  )
}

/** Whether data written to the service outlives its pods. */
const hasLastingData = ({ view }: Equipment, service: string): boolean => {
  const workload = view.workloads.find((candidate) => candidate.service === service)
  if (workload === undefined) return true
  const { spec } = viewAs('StatefulSet', workload.manifest)
  const hasClaim = workload.podSpec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined)
  return spec?.volumeClaimTemplates !== undefined || hasClaim === true
}

export const restore = defineStage({
  name: 'restore',
  reads: ['equipment', 'injection', 'isTrusted'],
  async run({ equipment, injection, isTrusted }) {
    const { recorder, resets, journeys, cluster, time } = equipment
    recorder.stop()
    await injection.stop()
    await recoverPodFaults(equipment, injection)
    const services = injection.faults.map(({ planned }) => planned.target.service)
    await resets.reset({
      keepData: !services.some((service) => hasLastingData(equipment, service)),
      isTrusted,
      // A fault in one pod is gone with that pod, or was recovered.
      keepNewPods: isTrusted && injection.faults.every(({ fault }) => fault.binding === 'pod'),
    })
    await waitUntilHealthy(equipment, measuredJourneys(equipment, injection))
    // Requests to pods that were starting may have raised alerts.
    cluster.telemetry?.renewAlerts()
    journeys.startHealthy(time.precise())
    return undefined
  },
})
