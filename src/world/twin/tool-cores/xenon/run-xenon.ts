/**
 * The program xenon, the sidecar of each MySQL server of a replicated cluster: takes part in the election of the leader, and labels its
 * pod with its role.
 */
import { XENON_PORT } from './members.ts'
import { OwnMysql } from './own-mysql.ts'
import { createPodApi } from './pod-api.ts'
import { Xenon } from './xenon.ts'
import type { PodPorts, XenonHost } from './xenon-host.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const PORTS: PodPorts = { xenon: XENON_PORT, mysql: 3306 }

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

const createMember = (host: XenonHost, name: string, log: (text: string) => void): Xenon => {
  const { environment: env, portsOf = () => PORTS } = host
  return new Xenon({
    host,
    name,
    portsOf,
    mysql: new OwnMysql(host, portsOf(name).mysql, {
      user: env.MYSQL_REPL_USER ?? 'qc_repl',
      password: env.MYSQL_REPL_PASSWORD ?? 'Repl_123',
    }),
    pods: createPodApi(host, {
      host: env.KUBERNETES_SERVICE_HOST ?? 'kubernetes.default.svc',
      port: Number(env.KUBERNETES_SERVICE_PORT ?? 443),
      account: ACCOUNT,
      selector: env.XENON_SELECTOR ?? `app=${name.replace(/-\d+$/, '')}`,
    }),
    log,
  })
}

/** Resolves with the exit code. */
export const runXenon = async (host: XenonHost): Promise<number> => {
  const { time, termination } = host
  const log = (text: string): void => host.write(` ${new Date(time.now()).toISOString()} ${text}\n`)
  const name = host.environment.POD_HOSTNAME ?? host.hostname
  let xenon: Xenon
  try {
    xenon = createMember(host, name, log)
    await xenon.start()
  } catch (error) {
    log(`[PANIC] ${(error as Error).message}`)
    return 1
  }
  log(`[INFO] xenon.server[${name}].is.running`)
  await whenAborted(termination)
  await xenon.leave()
  return 0
}
