/** The same web shop as a simulated program: its users send messages, and it answers by a virtual clock. */
import type { Clock } from '#kit'
import type { HttpRequestContent, ProgramConnection, ProgramMessage } from '#spec'
import type { ConnectUser } from '../journeys/simulated-user-client.ts'
import { answerShopRequest, type ShopRequest } from './shop-routes.ts'
import type { TestShop } from './test-shop.ts'

export interface SimulatedShop extends Omit<TestShop, 'close'> {
  readonly connectUser: ConnectUser
  /** Closes all connections, as a server that restarts does. */
  closeConnections(): void
  /** Whether new connections are refused; false at first. */
  refuses: boolean
}

/** The time for one answer. */
const ANSWER_MS = 5
const CONNECT_MS = 1

const toError = (code: string): Error => Object.assign(new Error(`simulated ${code}`), { code })

const toRequest = ({ content }: ProgramMessage): ShopRequest => {
  const { method, target, headers, body = '' } = content as HttpRequestContent
  return { line: `${method} ${target}`, headers, body }
}

const createConnection = (clock: Clock, requests: ShopRequest[]): ProgramConnection => {
  const listeners: (() => void)[] = []
  let isClosed = false
  return {
    address: '10.0.0.1',
    get isClosed() {
      return isClosed
    },
    exchange: (message) =>
      new Promise((resolve, reject) => {
        const fail = (): void => reject(toError('ECONNRESET'))
        if (isClosed) return fail()
        listeners.push(fail)
        const request = toRequest(message)
        requests.push(request)
        const answered = answerShopRequest(request)
        if (answered === 'silence') return
        clock.after(ANSWER_MS, () => {
          if (typeof answered === 'string') return fail()
          const { status = 200, headers = {}, cookies = [], body = '' } = answered
          resolve({ content: { status, headers, cookies, body }, bytes: body.length })
        })
      }),
    onClose: (listener) => void listeners.push(listener),
    close() {
      isClosed = true
      for (const listener of listeners.splice(0)) listener()
    },
  }
}

export const createSimulatedShop = (clock: Clock): SimulatedShop => {
  const requests: ShopRequest[] = []
  const open: ProgramConnection[] = []
  let refuses = false
  return {
    entryPoints: [{ name: 'shop', url: 'http://shop.sim/start' }],
    origin: 'http://shop.sim',
    requests,
    connections: () => open.length,
    get refuses() {
      return refuses
    },
    set refuses(value) {
      refuses = value
    },
    closeConnections() {
      for (const connection of open) connection.close()
    },
    connectUser: (entryPoint) =>
      new Promise((resolve, reject) => {
        clock.after(CONNECT_MS, () => {
          if (refuses || entryPoint !== 'shop') return reject(toError('ECONNREFUSED'))
          const connection = createConnection(clock, requests)
          open.push(connection)
          resolve(connection)
        })
      }),
  }
}
