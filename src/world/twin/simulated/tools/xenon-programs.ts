/** The programs `xenon` and `xenoncli` in a simulated container. */
import type { HttpResponseContent, ProgramConnection, ProgramHost, SimulatedProgram } from '#spec'
import { runXenon, runXenoncli, type XenonHost } from '#world/twin/tool-cores'
import { openSimulatedMysqlConnection } from '../stores/create-simulated-mysql-client.ts'

/** The CPU time of the fast path of xenoncli, a script in bash. */
const CPU_MS = 4
const HEAD_BYTES = 400

/** Rejects with the reason of the signal if it aborts before the answer arrives. */
const exchange = async (
  connection: ProgramConnection,
  content: unknown,
  bytes: number,
  signal: AbortSignal,
): Promise<unknown> => {
  const close = (): void => connection.close()
  signal.addEventListener('abort', close)
  try {
    return (await connection.exchange({ content, bytes })).content
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

const requestLineOn =
  ({ network }: ProgramHost): XenonHost['requestLine'] =>
  async (host, port, request, signal) => {
    const connection = await network.connect(host, port, signal)
    try {
      const answer = await exchange(connection, request, request.length + 1, signal)
      if (typeof answer === 'string') return answer
      throw new Error(`${host}:${port} closed the connection without a response`)
    } finally {
      connection.close()
    }
  }

const listenOn =
  ({ network }: ProgramHost): XenonHost['listen'] =>
  async (port, answer) =>
    network.listen(port, () => async ({ content }) => {
      if (typeof content !== 'string') throw new Error('the request is not a line of text')
      const line = answer(content)
      return { content: line, bytes: line.length + 1 }
    })

/** Keeps one connection to the API server. There are no certificates in a simulated cluster. */
const requestApiOn = ({ network }: ProgramHost): XenonHost['requestApi'] => {
  let connection: ProgramConnection | undefined
  return async ({ host, port, method, target, headers, body }, signal) => {
    if (connection === undefined || connection.isClosed)
      connection = await network.connect(host, port, signal)
    const content = { method, target, headers, isEncrypted: true, ...(body === undefined ? {} : { body }) }
    const answer = await exchange(connection, content, HEAD_BYTES + (body?.length ?? 0), signal)
    return answer as HttpResponseContent
  }
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const createXenonHost = (host: ProgramHost): XenonHost => ({
  time: host.time,
  environment: host.environment,
  hostname: host.environment.HOSTNAME ?? '',
  get termination() {
    return host.termination
  },
  write: host.write,
  readText: (path) => decode(host.files.read(path)),
  listen: listenOn(host),
  requestLine: requestLineOn(host),
  openMysql: async (port, signal) =>
    openSimulatedMysqlConnection(
      await host.network.connect('127.0.0.1', port, signal),
      { user: 'root', password: '' },
      signal,
    ),
  requestApi: requestApiOn(host),
})

export const xenonProgram: SimulatedProgram = async (host) => {
  // Probes look for a process of this name.
  host.processes.setTitle('xenon')
  host.exit(await runXenon(createXenonHost(host)))
}

export const xenoncliProgram: SimulatedProgram = async (host) => {
  await host.cpu.use(CPU_MS)
  const { code, out, err } = await runXenoncli(host.args, createXenonHost(host))
  host.write(out)
  host.writeError(err)
  host.exit(code)
}
