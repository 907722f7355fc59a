/** Runs the contract of xenon in simulated containers. */
import { createVirtualClock, runVirtually, sleep } from '#kit'
import type { HttpRequestContent } from '#spec'
import { createXenonApi, describeXenon, type XenonPod } from '#world/twin/testing'
import { createSimulatedTwinHost } from '../create-simulated-twin-host.ts'
import { openSimulatedMysqlConnection } from '../stores/create-simulated-mysql-client.ts'
import { createTestHosts, createTestVolume, type TestHost } from '../testing/index.ts'
import { xenoncliProgram, xenonProgram } from './xenon-programs.ts'

const API_HOST = 'kubernetes.default.svc'

const startMysql = async (host: TestHost) => {
  const start = await createSimulatedTwinHost(host).protocols.storeServer('mysql')
  return start({
    port: 3306,
    users: [],
    databases: ['ts'],
    environment: { MYSQL_LOG_FOLDER: '/nowhere', MYSQL_READ_ONLY: '1' },
    log: () => undefined,
    onCommand: () => undefined,
  })
}

const query = async (host: TestHost, statement: string): Promise<unknown> => {
  const connection = await openSimulatedMysqlConnection(await host.network.connect('127.0.0.1', 3306))
  return connection
    .query(statement)
    .then(
      (results) => results.at(-1)!.rows,
      (error: Error) => error.message,
    )
    .finally(() => connection.close())
}

/** Runs a program beside others in the pod of the host. */
const runBeside = async (
  host: TestHost,
  program: typeof xenonProgram,
  args: readonly string[],
): Promise<{ code: number; out: string }> => {
  let out = ''
  let code = 0
  await program({
    ...host,
    args,
    write: (text) => {
      out += text
    },
    writeError: () => {},
    exit: (given) => {
      code = given
    },
  })
  return { code, out }
}

describeXenon('xenon in a simulated container', async (work) => {
  const clock = createVirtualClock()
  const hosts = createTestHosts(clock)
  await runVirtually(clock, async () => {
    const api = await createXenonApi(clock, false)
    const server = hosts.add({ name: API_HOST })
    server.network.listen(443, () => async ({ content }) => ({
      content: await api.answer(content as HttpRequestContent),
      bytes: 100,
    }))
    const add = async (name: string): Promise<XenonPod> => {
      const volume = createTestVolume()
      for (const [path, text] of Object.entries(api.files))
        volume.files.set(path, new TextEncoder().encode(text))
      const host = hosts.add({ name, volume })
      await startMysql(host)
      await api.addPod(name, host.network.address)
      let code: number | undefined
      void xenonProgram({
        ...host,
        exit: (given) => {
          code = given
        },
      })
      return {
        output: () => host.output,
        query: (statement) => query(host, statement),
        runXenoncli: (...args) => runBeside(host, xenoncliProgram, args),
        async terminate() {
          host.terminate()
          while (code === undefined) await sleep(clock, 10)
          return code
        },
        async remove() {
          await api.removePod(name)
          host.kill()
        },
      }
    }
    await work({ add, roles: api.roles, sleep: (ms) => sleep(clock, ms) })
    await api.close()
  })
})
