/** The programs `mysql` and `mysqladmin` in a simulated container. */
import type { ProgramHost, SimulatedProgram } from '#spec'
import { type MysqlOptions, type MysqlSurroundings, runMysql, runMysqladmin } from '#world/twin/tool-cores'
import { openSimulatedMysqlConnection } from '../stores/create-simulated-mysql-client.ts'

/** The CPU time of their fast paths, scripts in bash. */
const CPU_MS = 4

const openOn =
  (host: ProgramHost): MysqlSurroundings['open'] =>
  async (options: MysqlOptions) => {
    const abort = new AbortController()
    const cancel = host.time.after(options.connectTimeoutMs, () =>
      abort.abort(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })),
    )
    try {
      const { host: name, port } = await options.address()
      const connection = await host.network.connect(name, port, abort.signal)
      return await openSimulatedMysqlConnection(connection, options.login, abort.signal)
    } finally {
      cancel()
    }
  }

export const mysqlProgram: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  const readInput = async (): Promise<string> => host.input
  const outcome = await runMysql(host.args, { open: openOn(host), readInput, isTerminal: false })
  host.write(outcome.out)
  host.writeError(outcome.err)
  host.exit(outcome.code)
}

export const mysqladminProgram: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  const { code, out, err } = await runMysqladmin(host.args, openOn(host))
  host.write(out)
  host.writeError(err)
  host.exit(code)
}
