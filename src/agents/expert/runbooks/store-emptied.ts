/** What a service puts into its database when it starts was dropped: the service is started again, which puts it there anew. */
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { restartTask, toCommandLine, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Focus, type Hypothesis } from '../runbook.ts'
import { leaderOf, mongoCommand, storesOf } from '../stores/stores.ts'

const GONE = /Table '([^']+)' doesn't exist|Unknown database '([^']+)'|ns not found/

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
    mayPass: false,
    evidence: [evidence],
    claim: `Somebody has dropped what ${service} keeps in ${store.service}.`,
    fix: {
      plan: `Start ${service} again, which makes what is missing; the store is well and stays as it is.`,
      services: [service],
      playbook: toPlaybook('Fill the database again', [
        restartTask(`Start ${service}, which makes what is missing`, {
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

/** Who says that a table is not there. */
const toldByLogs = async (world: World, store: WorkloadView): Promise<readonly Hypothesis[]> => {
  const lines = (await world.complaints()).filter(({ text }) => GONE.test(text))
  const readers = await readersOf(world, store)
  return readers.flatMap((reader) => {
    const line = lines.find(({ service }) => service === reader.service)
    if (line === undefined) return []
    return [
      toHypothesis(world, store, reader, {
        evidence: `${reader.service} says: ${line.text.slice(0, 200)}`,
        score: 0.93,
      }),
    ]
  })
}

const OWN = ['admin', 'config', 'local']

/** MongoDB takes what is not there for empty and says nothing: its databases are counted. */
const isEmptied = async (world: World, store: WorkloadView): Promise<boolean> => {
  const pod = leaderOf(await world.podsOf(store.service))
  const container = mainContainer(store)?.name
  if (pod === undefined || !pod.ready || container === undefined) return false
  const command = await mongoCommand(world, store, 'db.adminCommand({listDatabases: 1})')
  const said = await world.ask(pod.name, container, toCommandLine(command))
  if (said === undefined) return false
  const names = [...said.matchAll(/"?name"?\s*:\s*"([^"]+)"/g)].map(([, name]) => name!)
  return /databases/.test(said) && names.every((name) => OWN.includes(name))
}

const toldByStore = async (world: World, store: WorkloadView): Promise<readonly Hypothesis[]> => {
  const [reader] = await readersOf(world, store)
  if (reader === undefined || !(await isEmptied(world, store))) return []
  return [
    toHypothesis(world, store, reader, {
      evidence: `${store.service} has no database but its own, and ${reader.service} reads from it`,
      score: 0.9,
    }),
  ]
}

export const storeEmptied = defineRunbook({
  name: 'store-emptied',
  about: 'a table or a database that was dropped',
  categories: ['pod-config-error'],
  async look(world: World, focus: Focus) {
    const found: Hypothesis[] = []
    for (const { workload, wire } of storesOf(await world.workloads())) {
      if (focus.service !== undefined && focus.service !== workload.service) continue
      if (wire === 'mysql') found.push(...(await toldByLogs(world, workload)))
      if (wire === 'mongodb') found.push(...(await toldByStore(world, workload)))
    }
    return found
  },
})
