/** The contract of AMQP brokers and clients. */
import { describe, expect, it } from 'vitest'
import type { StoreClient } from '#world/twin/ports'
import type { WithStoreSubject } from './store-subject.ts'

const publish = (client: StoreClient, message: unknown, headers = {}): Promise<unknown> =>
  client.query({ publish: { queue: 'work', message, headers } }, 2000)

export const describeAmqp = (name: string, withSubject: WithStoreSubject): void => {
  describe(name, () => {
    it('delivers messages in order, and again if they were rejected', () =>
      withSubject(async ({ startServer, createClient, sleep }) => {
        const { port } = await startServer()
        const publisher = createClient(port)
        const received: unknown[] = []
        createClient(port).consume!('work', async (message, headers) => {
          received.push([message, headers])
          if (received.length === 1) throw new Error('rejected')
        })
        await publish(publisher, { n: 1, none: undefined }, { traceparent: 'a' })
        await publish(publisher, 'two')
        await sleep(500)
        expect(received[0]).toEqual([{ n: 1 }, { traceparent: 'a' }])
        expect(received.slice(1).map((item) => (item as [unknown])[0])).toContainEqual({ n: 1 })
        expect(received.slice(1).map((item) => (item as [unknown])[0])).toContain('two')
        expect(received).toHaveLength(3)
      }))

    it('keeps messages in its folder until a consumer comes', () =>
      withSubject(async ({ startServer, createClient, makeFolder, sleep }) => {
        const folder = makeFolder()
        const first = await startServer({ folder })
        await publish(createClient(first.port), 'kept')
        await first.close()
        const { port } = await startServer({ folder })
        const received: unknown[] = []
        createClient(port).consume!('work', async (message) => void received.push(message))
        await sleep(300)
        expect(received).toEqual(['kept'])
      }))

    it('reconnects a consumer after a loss', () =>
      withSubject(async ({ startServer, createClient, sleep }) => {
        const first = await startServer()
        const received: unknown[] = []
        createClient(first.port).consume!('work', async (message) => void received.push(message))
        await sleep(100)
        await first.close()
        await sleep(300)
        await startServer({ port: first.port })
        await sleep(1500)
        await publish(createClient(first.port), 'late')
        await sleep(200)
        expect(received).toEqual(['late'])
      }))

    it('refuses a wrong login, and reports a broker that does not listen', () =>
      withSubject(async ({ startServer, createClient, host }) => {
        const server = await startServer({ users: [{ name: 'shop', password: 'secret' }] })
        const wrong = createClient(server.port, { login: { user: 'shop', password: 'x' } })
        await expect(publish(wrong, 1)).rejects.toMatchObject({
          kind: 'login',
          message:
            'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see the broker logfile.',
        })
        const right = createClient(server.port, { login: { user: 'shop', password: 'secret' } })
        await publish(right, 1)
        await server.close()
        await expect(publish(createClient(server.port), 1)).rejects.toMatchObject({
          kind: 'refused',
          message: `connect ECONNREFUSED ${host}:${server.port}`,
        })
      }))
  })
}
