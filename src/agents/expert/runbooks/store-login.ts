/** The user by whom services enter a store has lost its rights there: they are granted again. */
import type { LogLine } from '../../../spec/index.ts'
import type { PodView } from '../observe/pods.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { execTask, restartTask, type Task, toCommandLine, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis } from '../runbook.ts'
import { leaderOf, mongoCommand, storesOf } from '../stores/stores.ts'

const MYSQL_DENIED = /(?:Access denied for|command denied to) user '([^']+)'@/
const MYSQL_DATABASE = /to database '([^']+)'/
const MONGO_DENIED = /not authorized on ([\w-]+) to execute/

const isDenied = ({ text }: LogLine): boolean => MYSQL_DENIED.test(text) || MONGO_DENIED.test(text)

/** Those who complain of being turned away, with what was said. */
const deniedBy = async (world: World, store: string): Promise<ReadonlyMap<string, string>> => {
  const calls = await world.calls()
  const callers = new Set(calls.filter(({ to }) => to === store).map(({ from }) => from))
  const lines = (await world.complaints()).filter(isDenied)
  const ofStore = lines.filter(({ service, text }) => text.includes(store) || callers.has(service))
  return new Map(ofStore.map(({ service, text }) => [service, text]))
}

const grantMysql = (world: World, store: WorkloadView, pod: PodView, said: string): Task | undefined => {
  const user = MYSQL_DENIED.exec(said)?.[1]
  if (user === undefined) return undefined
  const database = MYSQL_DATABASE.exec(said)?.[1]
  const statement = `GRANT ALL PRIVILEGES ON ${database === undefined ? '*' : database}.* TO '${user}'@'%'`
  return execTask(
    `Let ${user} use the database again`,
    { namespace: world.namespace, pod: pod.name, container: mainContainer(store)!.name },
    toCommandLine(['mysql', '-uroot', '-N', '-e', statement]),
  )
}

/** Users that have no rights in any database are those who lost them. */
const robbedUser = async (world: World, store: WorkloadView, pod: PodView): Promise<string | undefined> => {
  const command = await mongoCommand(world, store, 'JSON.stringify(db.getUsers())')
  const plain = await mongoCommand(world, store, 'db.getUsers()')
  const container = mainContainer(store)!.name
  const said =
    (await world.ask(pod.name, container, toCommandLine(command))) ??
    (await world.ask(pod.name, container, toCommandLine(plain))) ??
    ''
  const users = [...said.matchAll(/"?user"?\s*:\s*"([^"]+)"[\s\S]*?"?roles"?\s*:\s*\[([^\]]*)\]/g)]
  return users.find(([, , roles = '']) => roles.trim() === '')?.[1]
}

const grantMongo = async (
  world: World,
  store: WorkloadView,
  pod: PodView,
  said: string,
): Promise<Task | undefined> => {
  const database = MONGO_DENIED.exec(said)?.[1]
  const user = database === undefined ? undefined : await robbedUser(world, store, pod)
  if (user === undefined) return undefined
  const statement = `db.grantRolesToUser("${user}", [{role: "readWrite", db: "${database}"}])`
  return execTask(
    `Let ${user} use ${database} again`,
    { namespace: world.namespace, pod: pod.name, container: mainContainer(store)!.name },
    toCommandLine(await mongoCommand(world, store, statement)),
  )
}

const toHypothesis = async (
  world: World,
  store: WorkloadView,
  wire: 'mysql' | 'mongodb',
  denied: ReadonlyMap<string, string>,
): Promise<Hypothesis> => {
  const [[reader, said] = ['', '']] = denied
  const pod = leaderOf(await world.podsOf(store.service))
  const grant =
    pod === undefined
      ? undefined
      : wire === 'mysql'
        ? grantMysql(world, store, pod, said)
        : await grantMongo(world, store, pod, said)
  // Of MongoDB's clients some ask only when they start.
  const readers = wire === 'mongodb' ? [...denied.keys()] : []
  const workloads = (await world.workloads()).filter(({ service }) => readers.includes(service))
  return {
    ...({ runbook: 'store-login', layer: 'middleware', type: 'authentication-issue' } as const),
    services: [store.service, reader],
    score: 0.9,
    mayPass: false,
    claim: `A user has lost its rights in ${store.service}, and services are turned away there.`,
    evidence: [...denied].slice(0, 3).map(([service, text]) => `${service} says: ${text.slice(0, 200)}`),
    ...(grant === undefined
      ? {}
      : {
          fix: {
            plan: `Grant the rights again in ${store.service}; the store itself is well and stays as it is.`,
            services: [store.service, ...readers],
            playbook: toPlaybook('Give the user its rights back', [
              grant,
              ...workloads.map(({ kind, name, service }) =>
                restartTask(`Let ${service} log in again`, {
                  apiVersion: 'apps/v1',
                  kind,
                  name,
                  namespace: world.namespace,
                }),
              ),
            ]),
          },
        }),
  }
}

export const storeLogin = defineRunbook({
  name: 'store-login',
  about: 'a database user who has lost its rights',
  categories: ['pod-config-error'],
  async look(world, focus) {
    const found: Hypothesis[] = []
    for (const { workload, wire } of storesOf(await world.workloads())) {
      if (wire !== 'mysql' && wire !== 'mongodb') continue
      if (focus.service !== undefined && focus.service !== workload.service) continue
      const denied = await deniedBy(world, workload.service)
      if (denied.size > 0) found.push(await toHypothesis(world, workload, wire, denied))
    }
    return found
  },
})
