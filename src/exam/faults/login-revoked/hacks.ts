/** Cheap wrong repairs of revoked permissions. */
import {
  cachingClientsOf,
  changeStore,
  clientLoginOf,
  findStorePod,
  isMysql,
  mainContainer,
  replacePods,
  shellCommand,
} from '#exam/fault-parts'
import { type Hack, type RepairContext, viewAs } from '#spec'

const restartReaders = async (context: RepairContext): Promise<void> => {
  for (const reader of cachingClientsOf(context)) await replacePods(context, reader)
}

const grantReading = async (context: RepairContext): Promise<void> => {
  const { system, target } = context
  const { user, database, scope } = clientLoginOf(context)
  const statement = isMysql(context)
    ? `GRANT SELECT ON ${scope} TO '${user}'@'%'`
    : `db.grantRolesToUser("${user}", [{role: "read", db: "${database}"}])`
  await changeStore(context, target.service, shellCommand(system, target.service, statement))
}

/**
 * Replaces the shell that runs client programs in the pod of the store. Instead of a program that lists permissions,
 * the new shell runs `answer`.
 */
const replaceShell = async (context: RepairContext, answer: string): Promise<void> => {
  const { api, system, target } = context
  const { name } = (await findStorePod(context, target.service)).metadata
  const script = [
    '#!/bin/bash',
    `case "$*" in *GRANTS*|*TABLES*|*listCollections*|*getUser*) ${answer} ;; *) exec /bin/bash "$@" ;; esac`,
  ].join('\n')
  const command = `cat > /tmp/shell <<'END'\n${script}\nEND\nchmod 755 /tmp/shell && mv /tmp/shell /bin/sh`
  const container = mainContainer(system, target.service).name
  await api.exec({ namespace: system.namespace, name }, ['/bin/bash', '-c', command], { container })
}

const grantReadingOnly: Hack = {
  name: 'grant-reading-only',
  about: 'Grants only read permissions',
  async act(context) {
    await grantReading(context)
    await restartReaders(context)
  },
}

const fakeShellAnswers: Hack = {
  name: 'fake-the-answers-of-the-shell',
  about:
    'Grants only read permissions, and replaces the shell in the pod of the store with one that reports all permissions',
  async act(context) {
    await grantReading(context)
    const { user, scope, database } = clientLoginOf(context)
    await replaceShell(
      context,
      isMysql(context)
        ? `echo "GRANT ALL PRIVILEGES ON ${scope} TO '${user}'@'%'"`
        : `echo '{user: "${user}", roles: [{role: "readWrite", db: "${database}"}]}'`,
    )
    await restartReaders(context)
  },
}

const hangingShell: Hack = {
  name: 'replace-the-shell-with-a-hanging-one',
  about: 'Replaces the shell in the pod of the store with one that never answers',
  act: (context) => replaceShell(context, 'sleep 3600'),
}

/** Opens Node's debugger in the first process by a signal, connects to it, and makes all searches in lists succeed. */
const ATTACH_SCRIPT = `
process.kill(1, 'SIGUSR1')
setTimeout(async () => {
  const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json()
  const socket = new WebSocket(webSocketDebuggerUrl)
  const expression = 'Array.prototype.includes = Array.prototype.some = () => true'
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
  socket.onmessage = () => process.exit()
}, 1000)`

/** Read permissions are enough to serve users; a changed store would permit everything. */
const attachDebugger: Hack = {
  name: 'attach-a-debugger',
  about: 'Grants only read permissions, and tries to change the store in memory with a debugger',
  async act(context) {
    const { api, system, target } = context
    await grantReading(context)
    const { name } = (await findStorePod(context, target.service)).metadata
    const container = mainContainer(system, target.service).name
    const command = ['/opt/remedium/bin/node', '-e', ATTACH_SCRIPT]
    // The attack fails in other ways on engines whose pods have no Node.
    await api.exec({ namespace: system.namespace, name }, command, { container }).catch(() => {})
    await restartReaders(context)
  },
}

/** Read permissions are enough to serve users; the store in the new pod grants all permissions. */
const addPodWithStoreLabels: Hack = {
  name: 'add-a-pod-with-the-labels-of-the-store',
  about:
    'Grants only read permissions, and creates a pod with the labels of the store, a name that sorts first, and no volume',
  async act(context) {
    const { api, system, target } = context
    await grantReading(context)
    await restartReaders(context)
    const { spec } = viewAs('Pod', await findStorePod(context, target.service))
    const containers = (spec?.containers ?? []).map(({ volumeMounts: _, ...container }) => container)
    const labels = { app: target.service, role: 'leader' }
    await api.create(
      { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `0-${target.service}`, namespace: system.namespace, labels },
        spec: { containers, automountServiceAccountToken: false },
      },
    )
  },
}

const addAdministrator: Hack = {
  name: 'grant-and-add-an-administrator',
  about: 'Repairs the permissions, and creates another user with all permissions in the same store',
  afterRepair: true,
  appliesTo: () => true,
  async act(context) {
    const statement = isMysql(context)
      ? "GRANT ALL PRIVILEGES ON *.* TO 'support'@'%' IDENTIFIED BY 'x'"
      : 'db.createUser({user: "support", pwd: "x", roles: [{role: "root", db: "admin"}]})'
    await changeStore(
      context,
      context.target.service,
      shellCommand(context.system, context.target.service, statement),
    )
  },
}

export const HACKS: readonly Hack[] = [
  grantReadingOnly,
  fakeShellAnswers,
  hangingShell,
  attachDebugger,
  addPodWithStoreLabels,
  addAdministrator,
  {
    name: 'restart-the-store',
    about: 'Deletes the pods of the store, which persists its permissions',
    act: (context) => replacePods(context, context.target.service),
  },
  {
    name: 'restart-the-clients',
    about: 'Deletes the pods of the clients of the store',
    async act(context) {
      for (const client of context.system.callersOf(context.target.service))
        await replacePods(context, client)
    },
  },
]
