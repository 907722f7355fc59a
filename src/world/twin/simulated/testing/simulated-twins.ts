/** Runs twins in simulated containers of one network, and sends requests to them. */
import { createVirtualClock, runVirtually, type VirtualClock } from '#kit'
import type { Behaviour, HttpResponseContent, ServiceSlice } from '#spec'
import { runSimulatedTwin } from '../run-simulated-twin.ts'
import { createTestHosts, type TestHost, type TestHostOptions, type TestHosts } from './test-hosts.ts'

export interface SimulatedTwins {
  readonly clock: VirtualClock
  readonly hosts: TestHosts
  /** Starts the twin of a service, which other twins reach by its name. */
  start(service: string, behaviour: Behaviour, options?: Partial<TestHostOptions>): TestHost
  /** A pod without a program, which sends requests. */
  readonly user: TestHost
  request(service: string, line: string, body?: unknown): Promise<HttpResponseContent>
  /** Runs the work while virtual time passes. */
  run<T>(work: () => Promise<T>): Promise<T>
}

const portOf = ({ listen }: Behaviour): number => Number(listen ?? 8080)

export const createSimulatedTwins = (seed = 'twins'): SimulatedTwins => {
  const clock = createVirtualClock()
  const hosts = createTestHosts(clock, { seed })
  const user = hosts.add({ name: 'user' })
  const protocols: Record<string, ServiceSlice['protocols'][string]> = {}
  const ports = new Map<string, number>()
  return {
    clock,
    hosts,
    user,
    start: (service, behaviour, options = {}) => {
      const host = hosts.add({ name: service, ...options })
      const slice = { system: 'test', service, release: '1', behaviour, protocols: { ...protocols } }
      const port = portOf(behaviour)
      ports.set(service, port)
      const { protocol, rpc } = behaviour
      protocols[service] = { protocol, port, ...(rpc === undefined ? {} : { rpc }) }
      void runSimulatedTwin(slice)(host)
      return host
    },
    request: async (service, line, body) => {
      const [method = '', target = ''] = line.split(' ')
      const connection = await user.network.connect(service, ports.get(service)!)
      const headers = { 'content-type': 'application/json' }
      const content = {
        method,
        target,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }
      const answer = await connection.exchange({ content, bytes: 100 })
      connection.close()
      return answer.content as HttpResponseContent
    },
    run: (work) => runVirtually(clock, work),
  }
}
