/** Tests twins in simulated containers: requests through services and stores, failures, restarts, determinism. */
import { expect, it } from 'vitest'
import { sleep } from '#kit'
import type { Behaviour } from '#spec'
import {
  createSimulatedTwins,
  createTestVolume,
  type SimulatedTwins,
  type TestVolume,
} from './testing/index.ts'

const STORE: Behaviour = { protocol: 'redis', listen: '6379', store: { folder: '"/data"' } }

const CART: Behaviour = {
  protocol: 'http',
  upstreams: { store: {} },
  endpoints: {
    'POST /carts/{id}': {
      steps: [{ query: 'store', redis: ['"RPUSH"', 'request.params.id', 'request.body.item'], as: 'size' }],
      reply: '{"size": size}',
    },
    'GET /carts/{id}': {
      steps: [{ query: 'store', redis: ['"LRANGE"', 'request.params.id', '0', '-1'], as: 'items' }],
      reply: '{"items": items}',
    },
  },
}

const FRONT: Behaviour = {
  protocol: 'http',
  upstreams: { cart: { timeout: '2000' } },
  endpoints: {
    'POST /buy/{item}': {
      steps: [
        {
          call: 'cart POST /carts/{id}',
          path: { id: '"joe"' },
          send: '{"item": request.params.item}',
          as: 'cart',
        },
      ],
      reply: '{"bought": request.params.item, "size": cart.size}',
    },
    'GET /cart': { steps: [{ call: 'cart GET /carts/joe', as: 'cart' }], reply: 'cart.items' },
  },
}

const startShop = async (twins: SimulatedTwins, volume: TestVolume) => {
  const store = twins.start('store', STORE, { volume })
  const cart = twins.start('cart', CART)
  const front = twins.start('front', FRONT)
  await sleep(twins.clock, 3000)
  return { store, cart, front }
}

it('answers requests through two services and a store', async () => {
  const twins = createSimulatedTwins()
  await twins.run(async () => {
    const { front, cart } = await startShop(twins, createTestVolume())
    const bought = await twins.request('front', 'POST /buy/book')
    expect(bought).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(bought.body)).toEqual({ bought: 'book', size: 1 })
    expect((await twins.request('front', 'GET /cart')).body).toBe('["book"]')
    const [root] = front.spans.filter(({ kind }) => kind === 'server')
    const inCart = cart.spans.filter(({ traceId }) => traceId === root!.traceId)
    expect(inCart.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'client RPUSH',
      'server POST /carts/{id}',
    ])
  })
})

it('keeps the data of a store that is replaced, and fails while there is none', async () => {
  const twins = createSimulatedTwins()
  const volume = createTestVolume()
  await twins.run(async () => {
    const { store } = await startShop(twins, volume)
    await twins.request('front', 'POST /buy/pen')
    store.kill()
    expect(await twins.request('front', 'GET /cart')).toMatchObject({ status: 500 })
    twins.start('store', STORE, { volume })
    await sleep(twins.clock, 1000)
    expect((await twins.request('front', 'GET /cart')).body).toBe('["pen"]')
  })
})

it('ends with code 0 after active requests, and with code 1 if it cannot start', async () => {
  const twins = createSimulatedTwins()
  await twins.run(async () => {
    const { front } = await startShop(twins, createTestVolume())
    front.terminate()
    await sleep(twins.clock, 5000)
    expect(front.exitCode).toBe(0)
    const broken = twins.start('broken', { ...FRONT, required: ['DATABASE'], logFormat: 'python' })
    await sleep(twins.clock, 1000)
    expect(broken.exitCode).toBe(1)
    expect(broken.output).toContain('environment variable "DATABASE" not set')
  })
})

it('behaves identically in each run with the same seed', async () => {
  const play = async (): Promise<unknown> => {
    const twins = createSimulatedTwins('same')
    return twins.run(async () => {
      const { front, cart } = await startShop(twins, createTestVolume())
      for (let count = 0; count < 5; count += 1) await twins.request('front', 'POST /buy/book')
      return [front.spans, cart.spans, front.output, cart.output, twins.clock.now()]
    })
  }
  expect(await play()).toEqual(await play())
})
