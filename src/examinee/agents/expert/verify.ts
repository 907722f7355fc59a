/** Verifies a repair: pods are ready, and users are served. */

import { findRootCalls } from './observe/roots.ts'
import { listFailingJourneys, listIncompleteDeployments, listUnhealthyPods } from './observe/symptoms.ts'
import { describeCall } from './observe/traffic.ts'
import { isSettled, toWorkloadView, type WorkloadView } from './observe/workloads.ts'
import type { World } from './observe/world.ts'
import type { Fix } from './runbook.ts'
import type { Situation } from './situation.ts'

/** The waits between checks: most pods become ready soon, some take longer. */
const WAITS_MS = [700, 900, 1300, 2000, 3000, 4000, 6000]
/** The steps that must remain after a check. */
const RESERVED_STEPS = 3

/** Finds the workload of a service. Does not read its revisions, which would cost another step. */
const findWorkload = async (world: World, service: string): Promise<WorkloadView | undefined> => {
  for (const kind of ['Deployment', 'StatefulSet']) {
    const views = (await world.objects(kind)).map((object) => toWorkloadView(object, []))
    const workloadView = views.find((workload) => workload.service === service || workload.name === service)
    if (workloadView !== undefined) return workloadView
  }
  return undefined
}

const isApplied = async ({ world }: Situation, { services, replaces = [] }: Fix): Promise<boolean> => {
  world.refresh()
  if (replaces.length > 0 && (await world.pods()).some(({ uid }) => replaces.includes(uid))) return false
  for (const service of services) {
    const workload = await findWorkload(world, service)
    if (workload === undefined || !isSettled(workload)) return false
  }
  return true
}

/** Returns whether the repaired workloads became ready in time. */
export const waitUntilSettled = async (situation: Situation, fix: Fix): Promise<boolean> => {
  for (const wait of WAITS_MS) {
    if (situation.actions.remaining() <= RESERVED_STEPS) return false
    await situation.sleep(wait)
    if (await isApplied(situation, fix)) return true
  }
  return false
}

/** Lists the current symptoms; empty if the system is healthy. */
export const listSymptoms = async ({ world }: Situation): Promise<readonly string[]> => [
  ...(await listFailingJourneys(world)),
  ...(await listUnhealthyPods(world)).map(({ name }) => `pod ${name} is not ready`),
  ...(await listIncompleteDeployments(world)),
  ...findRootCalls(await world.calls()).map(describeCall),
]

/** The metrics of a check must not include the time before the change, and callers may need time to reconnect. */
const SYMPTOM_WAITS_MS = [6500, 4000, 8000]
const MAX_CHECK_STEPS = 4

/** Lists the symptoms that remain some time after a change. */
export const listRemainingSymptoms = async (situation: Situation): Promise<readonly string[]> => {
  let symptoms: readonly string[] = []
  for (const wait of SYMPTOM_WAITS_MS) {
    if (situation.actions.remaining() <= RESERVED_STEPS + MAX_CHECK_STEPS) break
    await situation.sleep(wait)
    situation.world.refresh()
    symptoms = await listSymptoms(situation)
    if (symptoms.length === 0) break
  }
  return symptoms
}
