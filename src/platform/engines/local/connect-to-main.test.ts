/** Tests that a connection reaches only the main program of a container. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { RemediumError } from '#spec'
import { connectToMain } from './connect-to-main.ts'

/** Starts a program that listens on a free port, and prints the port. */
const startServer = async () => {
  const program = `require('net').createServer().listen(0, '0.0.0.0', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', program])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { pid: child.pid!, port: Number(String(line)) }
}

const connectWith = (mainPids: readonly number[], failure?: Error) => {
  const hosts: string[] = []
  const containers = mainPids.map((pid) => ({ name: 'store', id: 'a', pid, cgroup: '' }))
  const pod = { uid: 'known', ip: '127.0.0.2', nodeName: '', networkNamespacePath: '', containers }
  const connectTo = connectToMain({
    network: {
      async connectLocal(_uid, port, host = '') {
        hosts.push(host)
        if (failure !== undefined) throw failure
        const socket = connect(port, host)
        await once(socket, 'connect')
        onTestFinished(() => void socket.destroy())
        return socket
      },
    },
    processes: { find: (uid) => (uid === 'known' ? pod : undefined), onRemoval: () => () => {} },
  })
  return { connectTo, hosts }
}

it('connects to the main program of a container through the loopback or the pod address', async () => {
  const { pid, port } = await startServer()
  const { connectTo, hosts } = connectWith([pid])
  await connectTo('known', port, 'loopback')
  await connectTo('known', port, 'address')
  expect(hosts).toEqual(['127.0.0.1', '127.0.0.2'])
})

it('rejects if another program or none listens, or if the pod is not running', async () => {
  const [main, other] = [await startServer(), await startServer()]
  const { connectTo, hosts } = connectWith([main.pid])
  await expect(connectTo('known', other.port, 'loopback')).rejects.toThrow('a program other than')
  await expect(connectTo('known', 1, 'loopback')).rejects.toThrow('no program listens')
  await expect(connectTo('unknown', main.port, 'loopback')).rejects.toThrow('not running')
  await expect(connectWith([]).connectTo('known', main.port, 'loopback')).rejects.toThrow('no program')
  expect(hosts).toEqual([])
})

it('distinguishes failures of the engine from those of the pod', async () => {
  const { pid, port } = await startServer()
  const isEngineFailure = (code: string) => {
    const { connectTo } = connectWith([pid], Object.assign(new Error(code), { code }))
    return connectTo('known', port, 'loopback').catch((error: unknown) => error instanceof RemediumError)
  }
  expect(await isEngineFailure('ECONNREFUSED')).toBe(false)
  expect(await isEngineFailure('EMFILE')).toBe(true)
})
