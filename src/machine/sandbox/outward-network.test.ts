/** Needs root: tests the network of isolated programs in a real network namespace. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectInside, openNetworkNamespace, runProgram } from '#machine/linux'
import { createOutwardNetwork, type OutwardOptions, type ServiceAddress } from './outward-network.ts'

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .flatMap(({ family, address }) => (family === 'IPv4' ? [address] : []))

const startServer = async (text: string): Promise<number> => {
  const server: Server = createServer((socket) => socket.end(text))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}

const openNetwork = async (options: OutwardOptions) => {
  const network = await createOutwardNetwork(options)
  const namespace = openNetworkNamespace(network.path)
  onTestFinished(() => {
    namespace.close()
    network.close()
  })
  return namespace
}

const readAll = async (
  namespace: Awaited<ReturnType<typeof openNetwork>>,
  { host, port }: ServiceAddress,
) => {
  const socket = await connectInside(namespace, host, port)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(socket, 'end')
  socket.destroy()
  return text
}

describe('an outward network', () => {
  it('connects to the address that a program inside asks for, at any port', async () => {
    const port = await startServer('from another machine')
    const targets: ServiceAddress[] = []
    const namespace = await openNetwork({
      dial(target) {
        targets.push(target)
        return connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      },
    })
    for (const target of [
      { host: '203.0.113.7', port: 443 },
      { host: '198.51.100.9', port: 8080 },
    ])
      expect(await readAll(namespace, target)).toBe('from another machine')
    expect(targets).toEqual([
      { host: '203.0.113.7', port: 443 },
      { host: '198.51.100.9', port: 8080 },
    ])
  })

  it('refuses every address of this machine except the listed services', async () => {
    const port = await startServer('from this machine')
    const namespace = await openNetwork({})
    for (const host of ownAddresses)
      await expect(readAll(namespace, { host, port })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
    const withServices = await openNetwork({ reach: ownAddresses.map((host) => ({ host, port })) })
    for (const host of ownAddresses)
      expect(await readAll(withServices, { host, port })).toBe('from this machine')
    const other = await startServer('another service')
    for (const host of ownAddresses)
      await expect(readAll(withServices, { host, port: other })).rejects.toThrow()
  })

  it('refuses link-local addresses, where clouds serve credentials', async () => {
    const targets: ServiceAddress[] = []
    const namespace = await openNetwork({
      dial(target) {
        targets.push(target)
        return connect({ host: '127.0.0.1', port: 1 })
      },
    })
    await expect(readAll(namespace, { host: '169.254.169.254', port: 80 })).rejects.toThrow('ECONNRESET')
    expect(targets).toEqual([])
  })

  it('resets a connection that the target refuses, and rejects a ping', async () => {
    const namespace = await openNetwork({ dial: () => connect({ host: '127.0.0.1', port: 1 }) })
    await expect(readAll(namespace, { host: '203.0.113.7', port: 443 })).rejects.toThrow('ECONNRESET')
    const { exitCode } = await runProgram('ping', ['-c', '1', '-W', '1', '203.0.113.7'], { namespace }).catch(
      () => ({ exitCode: 1 }),
    )
    expect(exitCode).not.toBe(0)
  })

  it('resolves names through the name servers of the machine', async () => {
    const server = createSocket('udp4')
    server.on('message', (query, from) =>
      server.send(Buffer.concat([query, Buffer.from('!')]), from.port, from.address),
    )
    await new Promise<void>((resolve) => server.bind(53, '127.0.0.99', resolve))
    onTestFinished(() => void server.close())
    const namespace = await openNetwork({ nameServers: () => ['127.0.0.99'] })
    const script = `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5)
s.sendto(b'a query', ('127.0.0.1', 53)); print(s.recv(99).decode())`
    expect(await runProgram('/usr/bin/python3', ['-c', script], { namespace })).toMatchObject({
      stdout: 'a query!\n',
    })
  })
})
