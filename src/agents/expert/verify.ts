/** Looks whether what was done has helped: pods are there again, and users are well. */

import { ownTroubles } from './observe/roots.ts'
import { failingJourneys, missingPods, sickPods } from './observe/symptoms.ts'
import { describeCall } from './observe/traffic.ts'
import { isSettled, toWorkloadView, type WorkloadView } from './observe/workloads.ts'
import type { World } from './observe/world.ts'
import type { Fix } from './runbook.ts'
import type { Situation } from './situation.ts'

/** Milliseconds between looks: most pods are there soon, and some take long. */
const WAITS = [700, 900, 1300, 2000, 3000, 4000, 6000]
/** Steps that must be left for what comes after. */
const RESERVE = 3

/** Without its history, which does not matter here and costs a step. */
const statusOf = async (world: World, service: string): Promise<WorkloadView | undefined> => {
  for (const kind of ['Deployment', 'StatefulSet']) {
    const views = (await world.objects(kind)).map((object) => toWorkloadView(object, []))
    const found = views.find((one) => one.service === service || one.name === service)
    if (found !== undefined) return found
  }
  return undefined
}

const isThere = async ({ world }: Situation, { services, replaces = [] }: Fix): Promise<boolean> => {
  world.forget()
  if (replaces.length > 0 && (await world.pods()).some(({ uid }) => replaces.includes(uid))) return false
  for (const service of services) {
    const workload = await statusOf(world, service)
    if (workload === undefined || !isSettled(workload)) return false
  }
  return true
}

/** Waits until the pods of what was mended are there; false where they do not come. */
export const waitUntilSettled = async (situation: Situation, fix: Fix): Promise<boolean> => {
  for (const wait of WAITS) {
    if (situation.actions.left() <= RESERVE) return false
    await situation.sleep(wait)
    if (await isThere(situation, fix)) return true
  }
  return false
}

/** What is still not as it should be, in phrases; nothing where all is well. */
export const lookForTrouble = async ({ world }: Situation): Promise<readonly string[]> => [
  ...(await failingJourneys(world)),
  ...(await sickPods(world)).map(({ name }) => `pod ${name} is not ready`),
  ...(await missingPods(world)),
  ...ownTroubles(await world.calls()).map(describeCall),
]

/** Until what was before the change is no longer counted as now, and until callers that had given up come again. */
const AFTERMATHS = [6500, 4000, 8000]
const LOOK_STEPS = 4

/** What users still suffer from a while after a change. */
export const lookAtUsers = async (situation: Situation): Promise<readonly string[]> => {
  let trouble: readonly string[] = []
  for (const wait of AFTERMATHS) {
    if (situation.actions.left() <= RESERVE + LOOK_STEPS) break
    await situation.sleep(wait)
    situation.world.forget()
    trouble = await lookForTrouble(situation)
    if (trouble.length === 0) break
  }
  return trouble
}
