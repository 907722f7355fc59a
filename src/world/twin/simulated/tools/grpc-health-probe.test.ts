/** Tests the health probe: the results of the process `grpc_health_probe`. */
import { expect, it } from 'vitest'
import { createSimulatedTwins } from '../testing/index.ts'
import { grpcHealthProbe } from './grpc-health-probe.ts'

it.each([
  ['-addr=:50051', 0, 'status: SERVING\n'],
  ['-addr=:50052', 2, 'timeout: failed to connect service ":50052" within 1s\n'],
  ['-tls', 1, 'error: flag provided but not defined: -tls\n'],
])('%s exits with %i', async (argument, code, text) => {
  const twins = createSimulatedTwins()
  const rpc = { package: 'shop', service: 'Cart' }
  await twins.run(async () => {
    twins.start('cart', { protocol: 'grpc', rpc, listen: '50051', endpoints: {} } as never)
    await new Promise((resolve) => twins.clock.after(1000, () => resolve(undefined)))
    const host = twins.hosts.add({ name: 'probe', args: [argument.replace('=:', '=cart:')] })
    await grpcHealthProbe(host)
    expect(host.exitCode).toBe(code)
    expect(host.errorOutput).toBe(text.replace('":', '"cart:'))
  })
})
