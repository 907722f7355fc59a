/** Runs the contract of xenon in this process: over sockets, with the embedded API server. */
import { createServer } from 'node:net'
import { createRealClock } from '#kit'
import { processTime } from '#world/twin/process'
import { loadStoreServer, openMysqlConnection } from '#world/twin/stores'
import { createXenonApi, describeXenon, type XenonPod } from '#world/twin/testing'
import { type PodPorts, runXenon, runXenoncli } from '#world/twin/tool-cores'
import { createProcessXenonHost } from './create-process-xenon-host.ts'
import { requestLine } from './request-line.ts'

const ROOT = { user: 'root', password: '' }

const startMysql = async () => {
  const start = await loadStoreServer('mysql')
  return start({
    port: 0,
    users: [],
    databases: ['ts'],
    environment: { MYSQL_LOG_FOLDER: '/nowhere', MYSQL_READ_ONLY: '1' },
    log: () => undefined,
    onCommand: () => undefined,
  })
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const createPods = async () => {
  const api = await createXenonApi(createRealClock(), true)
  /** All pods have the address of this machine. */
  const ports = new Map<string, PodPorts>()
  const cleanups: (() => Promise<unknown>)[] = [api.close]

  const add = async (name: string): Promise<XenonPod> => {
    const mysql = await startMysql()
    const port = await findFreePort()
    ports.set(name, { xenon: port, mysql: mysql.port })
    await api.addPod(name, '127.0.0.1')
    const abort = new AbortController()
    let output = ''
    const ended = runXenon({
      ...createProcessXenonHost(),
      environment: { POD_HOSTNAME: name, XENON_SELECTOR: 'app=db', ...apiAddress(api.port) },
      portsOf: (pod) => ports.get(pod)!,
      termination: abort.signal,
      write: (text) => {
        output += text
      },
      readText: (path) => api.files[path] ?? '',
    })
    const terminate = (): Promise<number> => {
      abort.abort()
      return ended
    }
    const remove = async (): Promise<void> => {
      await terminate()
      await mysql.close()
    }
    cleanups.unshift(remove)
    return {
      terminate,
      output: () => output,
      async query(statement) {
        const address = async () => ({ host: '127.0.0.1', port: mysql.port })
        const connection = await openMysqlConnection({ address, login: ROOT }, AbortSignal.timeout(1000))
        return connection
          .query(statement)
          .then(
            (results) => results.at(-1)!.rows,
            (error: Error) => error.message,
          )
          .finally(() => connection.close())
      },
      async runXenoncli(...args) {
        const environment = { XENON_PORT: String(port) }
        const { code, out } = await runXenoncli(args, { time: processTime, requestLine, environment })
        return { code, out }
      },
      async remove() {
        await api.removePod(name)
        await remove()
      },
    }
  }
  return {
    add,
    roles: api.roles,
    close: async () => {
      for (const cleanup of cleanups) await cleanup()
    },
  }
}

const apiAddress = (port: number) => ({
  KUBERNETES_SERVICE_HOST: '127.0.0.1',
  KUBERNETES_SERVICE_PORT: String(port),
})

describeXenon('xenon in a process', async (work) => {
  const { add, roles, close } = await createPods()
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  try {
    await work({ add, roles, sleep })
  } finally {
    await close()
  }
})
