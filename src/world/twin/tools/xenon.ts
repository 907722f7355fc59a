/**
 * The sidecar of each MySQL server of a replicated cluster. It takes part in the election of
 * the leader, and labels its pod with its role.
 */
import { hostname } from 'node:os'
import { XENON_PORT } from './xenon-raft/members.ts'
import { OwnMysql } from './xenon-raft/own-mysql.ts'
import { createPodApi } from './xenon-raft/pod-api.ts'
import { Xenon } from './xenon-raft/xenon.ts'

const log = (text: string): void => console.log(` ${new Date().toISOString()} ${text}`)

const name = process.env.POD_HOSTNAME ?? hostname()

// Probes look for a process of this name.
process.title = 'xenon'

const xenon = new Xenon({
  name,
  port: XENON_PORT,
  mysql: new OwnMysql(3306, {
    user: process.env.MYSQL_REPL_USER ?? 'qc_repl',
    password: process.env.MYSQL_REPL_PASSWORD ?? 'Repl_123',
  }),
  pods: createPodApi({
    host: process.env.KUBERNETES_SERVICE_HOST ?? 'kubernetes.default.svc',
    port: Number(process.env.KUBERNETES_SERVICE_PORT ?? 443),
    account: '/var/run/secrets/kubernetes.io/serviceaccount',
    selector: process.env.XENON_SELECTOR ?? `app=${name.replace(/-\d+$/, '')}`,
  }),
  log,
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    void xenon.leave().finally(() => process.exit(0))
  })

xenon.start().then(
  () => log(`[INFO] xenon.server[${name}].is.running`),
  (error: Error) => {
    log(`[PANIC] ${error.message}`)
    process.exit(1)
  },
)
