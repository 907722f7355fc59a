/** Runbook for a database user who has lost permissions: grants them again. */
import type { LogLine } from '#spec'
import type { PodView } from '../observe/pods.ts'
import { mainContainer, type WorkloadView } from '../observe/workloads.ts'
import type { World } from '../observe/world.ts'
import { execTask, restartTask, type Task, toCommandLine, toPlaybook } from '../playbook.ts'
import { defineRunbook, type Hypothesis } from '../runbook.ts'
import { findLeader, listStores, toMongoCommand } from '../stores/stores.ts'

const MYSQL_DENIED = /(?:Access denied for|command denied to) user '([^']+)'@/
const MYSQL_DATABASE = /to database '([^']+)'/
const MONGO_DENIED = /not authorized on ([\w-]+) to execute/

const isDenied = ({ text }: LogLine): boolean => MYSQL_DENIED.test(text) || MONGO_DENIED.test(text)

/** Returns the services that log denied access, with the message. */
const listDenials = async (world: World, store: string): Promise<ReadonlyMap<string, string>> => {
  const calls = await world.calls()
  const callers = new Set(calls.filter(({ to }) => to === store).map(({ from }) => from))
  const lines = (await world.warnings()).filter(isDenied)
  const storeLines = lines.filter(({ service, text }) => text.includes(store) || callers.has(service))
  return new Map(storeLines.map(({ service, text }) => [service, text]))
}

const grantMysql = (world: World, store: WorkloadView, pod: PodView, denial: string): Task | undefined => {
  const user = MYSQL_DENIED.exec(denial)?.[1]
  if (user === undefined) return undefined
  const database = MYSQL_DATABASE.exec(denial)?.[1]
  const statement = `GRANT ALL PRIVILEGES ON ${database === undefined ? '*' : database}.* TO '${user}'@'%'`
  return execTask(
    `Grant ${user} access to the database`,
    { namespace: world.namespace, pod: pod.name, container: mainContainer(store)!.name },
    toCommandLine(['mysql', '-uroot', '-N', '-e', statement]),
  )
}

/** Returns the user that has no roles. */
const findUserWithoutRoles = async (
  world: World,
  store: WorkloadView,
  pod: PodView,
): Promise<string | undefined> => {
  const command = await toMongoCommand(world, store, 'JSON.stringify(db.getUsers())')
  const plainCommand = await toMongoCommand(world, store, 'db.getUsers()')
  const container = mainContainer(store)!.name
  const output =
    (await world.exec(pod.name, container, toCommandLine(command))) ??
    (await world.exec(pod.name, container, toCommandLine(plainCommand))) ??
    ''
  const users = [...output.matchAll(/"?user"?\s*:\s*"([^"]+)"[\s\S]*?"?roles"?\s*:\s*\[([^\]]*)\]/g)]
  return users.find(([, , roles = '']) => roles.trim() === '')?.[1]
}

const grantMongo = async (
  world: World,
  store: WorkloadView,
  pod: PodView,
  denial: string,
): Promise<Task | undefined> => {
  const database = MONGO_DENIED.exec(denial)?.[1]
  const user = database === undefined ? undefined : await findUserWithoutRoles(world, store, pod)
  if (user === undefined) return undefined
  const statement = `db.grantRolesToUser("${user}", [{role: "readWrite", db: "${database}"}])`
  return execTask(
    `Grant ${user} access to ${database}`,
    { namespace: world.namespace, pod: pod.name, container: mainContainer(store)!.name },
    toCommandLine(await toMongoCommand(world, store, statement)),
  )
}

const toHypothesis = async (
  world: World,
  store: WorkloadView,
  storeKind: 'mysql' | 'mongodb',
  denials: ReadonlyMap<string, string>,
): Promise<Hypothesis> => {
  const [[reader, denial] = ['', '']] = denials
  const pod = findLeader(await world.podsOf(store.service))
  const grant =
    pod === undefined
      ? undefined
      : storeKind === 'mysql'
        ? grantMysql(world, store, pod, denial)
        : await grantMongo(world, store, pod, denial)
  // Some clients of MongoDB authenticate only at their start.
  const readers = storeKind === 'mongodb' ? [...denials.keys()] : []
  const workloads = (await world.workloads()).filter(({ service }) => readers.includes(service))
  return {
    ...({ runbook: 'store-login', layer: 'middleware', type: 'authentication-issue' } as const),
    services: [store.service, reader],
    score: 0.9,
    mayBeTransient: false,
    claim: `A user lacks its permissions in ${store.service}, which denies access to services.`,
    evidence: [...denials].slice(0, 3).map(([service, text]) => `${service} logs: ${text.slice(0, 200)}`),
    ...(grant === undefined
      ? {}
      : {
          fix: {
            plan: `Grant the permissions again in ${store.service}. The store is not changed otherwise.`,
            services: [store.service, ...readers],
            playbook: toPlaybook('Restore the permissions of the user', [
              grant,
              ...workloads.map(({ kind, name, service }) =>
                restartTask(`Restart ${service} to log in again`, {
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
  about: 'a database user without its permissions',
  categories: ['pod-config-error'],
  async diagnose(world, focus) {
    const hypotheses: Hypothesis[] = []
    for (const { workload, kind } of listStores(await world.workloads())) {
      if (kind !== 'mysql' && kind !== 'mongodb') continue
      if (focus.service !== undefined && focus.service !== workload.service) continue
      const denials = await listDenials(world, workload.service)
      if (denials.size > 0) hypotheses.push(await toHypothesis(world, workload, kind, denials))
    }
    return hypotheses
  },
})
