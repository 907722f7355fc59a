/** Runbook for a dropped table or database: restarts a service that creates its data at its start. */
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { restartTask, toCommandLine, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'
import { findLeader, listStores, toMongoCommand } from '../stores/stores.ts'

const MISSING_TABLE = /Table '([^']+)' doesn't exist|Unknown database '([^']+)'|ns not found/

const toHypothesis = (
  world: World,
  store: WorkloadView,
  reader: WorkloadView,
  { evidence, score }: { evidence: string; score: number },
): Hypothesis => {
  const { kind, name, service } = reader
  return {
    ...({ runbook: 'store-emptied', layer: 'middleware', type: 'operation-error' } as const),
    services: [store.service, service],
    score,
    mayBeTransient: false,
    evidence: [evidence],
    claim: `The data of ${service} in ${store.service} was dropped.`,
    fix: {
      plan: `Restart ${service}, which creates the missing data. The store is not changed.`,
      services: [service],
      playbook: toPlaybook('Recreate the data', [
        restartTask(`Restart ${service}, which creates the missing data`, {
          apiVersion: 'apps/v1',
          kind,
          name,
          namespace: world.namespace,
        }),
      ]),
    },
  }
}

const readersOf = async (world: World, store: WorkloadView): Promise<readonly WorkloadView[]> => {
  const calls = await world.calls()
  const callers = new Set(calls.filter(({ to }) => to === store.service).map(({ from }) => from))
  return (await world.workloads()).filter(({ service }) => callers.has(service))
}

/** Finds services whose logs report a missing table. */
const findInLogs = async (world: World, store: WorkloadView): Promise<readonly Hypothesis[]> => {
  const lines = (await world.warnings()).filter(({ text }) => MISSING_TABLE.test(text))
  const readers = await readersOf(world, store)
  return readers.flatMap((reader) => {
    const line = lines.find(({ service }) => service === reader.service)
    if (line === undefined) return []
    return [
      toHypothesis(world, store, reader, {
        evidence: `${reader.service} logs: ${line.text.slice(0, 200)}`,
        score: 0.93,
      }),
    ]
  })
}

const SYSTEM_DATABASES = ['admin', 'config', 'local']

/** MongoDB treats a missing database as empty and reports no error, so its databases are listed. */
const isEmptied = async (world: World, store: WorkloadView): Promise<boolean> => {
  const pod = findLeader(await world.podsOf(store.service))
  const container = mainContainer(store)?.name
  if (pod === undefined || !pod.isReady || container === undefined) return false
  const command = await toMongoCommand(world, store, 'db.adminCommand({listDatabases: 1})')
  const output = await world.exec(pod.name, container, toCommandLine(command))
  if (output === undefined) return false
  const names = [...output.matchAll(/"?name"?\s*:\s*"([^"]+)"/g)].map(([, name]) => name!)
  return /databases/.test(output) && names.every((name) => SYSTEM_DATABASES.includes(name))
}

const findInStore = async (world: World, store: WorkloadView): Promise<readonly Hypothesis[]> => {
  const [reader] = await readersOf(world, store)
  if (reader === undefined || !(await isEmptied(world, store))) return []
  return [
    toHypothesis(world, store, reader, {
      evidence: `${store.service} has only system databases, and ${reader.service} reads from it`,
      score: 0.9,
    }),
  ]
}

export const storeEmptied = defineRunbook({
  name: 'store-emptied',
  about: 'a table or a database that was dropped',
  categories: ['pod-config-error'],
  async diagnose(world: World, focus: Focus) {
    const hypotheses: Hypothesis[] = []
    for (const { workload, kind } of listStores(await world.workloads())) {
      if (focus.service !== undefined && focus.service !== workload.service) continue
      if (kind === 'mysql') hypotheses.push(...(await findInLogs(world, workload)))
      if (kind === 'mongodb') hypotheses.push(...(await findInStore(world, workload)))
    }
    return hypotheses
  },
})
