/** Tests the health probe of gRPC services in simulated containers. */
import { expect, it } from 'vitest'
import type { Behaviour } from '#spec'
import { createSimulatedTwins } from '../testing/index.ts'
import { grpcHealthProbe } from './grpc-health-probe.ts'

const GRPC: Behaviour = { protocol: 'grpc', listen: '7070', endpoints: { Get: {} } }
const HTTP: Behaviour = { protocol: 'http', listen: '7070', endpoints: { 'GET /': {} } }

/** Runs the probe against a service, and returns its exit code, its output, and the time that it took. */
const probe = async (behaviour: Behaviour | undefined, ...args: string[]) => {
  const twins = createSimulatedTwins()
  if (behaviour !== undefined) twins.start('cart', behaviour)
  const pod = twins.hosts.add({ name: 'prober', args })
  const start = twins.clock.now()
  await twins.run(() => grpcHealthProbe(pod))
  return [pod.exitCode, pod.errorOutput.trim(), twins.clock.now() - start]
}

it('reports a service that serves', async () => {
  expect(await probe(GRPC, '-addr=cart:7070')).toEqual([0, 'status: SERVING', expect.any(Number)])
})

it('ends after the timeout if the service does not listen, or has another protocol', async () => {
  const text = 'timeout: failed to connect service "cart:7070" within 1s'
  expect(await probe(undefined, '-addr=cart:7070')).toEqual([2, text, 1000])
  expect(await probe(HTTP, '-addr=cart:7070')).toEqual([2, text, 1000])
})

it('explains wrong arguments', async () => {
  expect(await probe(GRPC, '-address=x')).toEqual([1, 'error: flag provided but not defined: -address', 0])
})
