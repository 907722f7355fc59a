/** Needs root: tests devices and routes in real network namespaces. */
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
  runChecked,
} from '../index.ts'

const openRoutes = (): { namespace: NetworkNamespace; routes: RouteSocket } => {
  const namespace = createNetworkNamespace()
  const routes = openRouteSocket(namespace)
  onTestFinished(() => {
    routes.close()
    namespace.close()
  })
  return { namespace, routes }
}

const runIp = (namespace: NetworkNamespace, ...args: string[]): Promise<string> =>
  runChecked('ip', args, { namespace })

describe('a route socket', () => {
  it('creates devices, addresses and routes that `ip` lists', async () => {
    const [near, far] = [openRoutes(), openRoutes()]
    near.routes.addPair({ index: 100, name: 'near' }, { index: 2, name: 'eth0', namespace: far.namespace })
    near.routes.addAddress(100, '169.254.1.1')
    near.routes.setUp(100)
    near.routes.putRoute({ destination: '10.1.2.3/32', device: 100, source: '169.254.1.1' })
    far.routes.setUp(LOOPBACK)
    far.routes.addAddress(2, '10.1.2.3')
    far.routes.setUp(2)
    near.routes.waitForPair(100)
    far.routes.putRoute({ destination: '169.254.1.1/32', device: 2 })
    far.routes.putRoute({ destination: '0.0.0.0/0', device: 2, gateway: '169.254.1.1' })
    expect(await runIp(near.namespace, '-o', 'link', 'show', 'near')).toMatch(
      /^100: near@\S+ <\S+> .* state UP /,
    )
    expect(await runIp(near.namespace, 'route')).toBe(
      '10.1.2.3 dev near proto static scope link src 169.254.1.1 \n',
    )
    expect(await runIp(far.namespace, 'route')).toBe(
      'default via 169.254.1.1 dev eth0 proto static \n169.254.1.1 dev eth0 proto static scope link \n',
    )
    expect(await runIp(near.namespace, 'route', 'get', '10.1.2.3')).toContain('dev near')
    near.routes.putRoute({ destination: '10.1.2.3/32', device: 100 })
    expect(await runIp(near.namespace, 'route')).not.toContain('src')
    near.routes.removeRoute({ destination: '10.1.2.3/32', device: 100 })
    expect(await runIp(near.namespace, 'route')).toBe('')
  })

  it('reports the failed operation and its error', () => {
    const { routes } = openRoutes()
    expect(() => routes.setUp(99)).toThrow('starting device 99: ENODEV')
    routes.setUp(LOOPBACK)
    routes.addAddress(LOOPBACK, '10.0.0.1')
    expect(() => routes.addAddress(LOOPBACK, '10.0.0.1')).toThrow('adding the address 10.0.0.1: EEXIST')
    expect(() => routes.removeRoute({ destination: '10.9.9.9/32', device: LOOPBACK })).toThrow('ESRCH')
    expect(() => routes.waitForPair(99)).toThrow('querying device 99: ENODEV')
    // The socket is still usable.
    routes.addAddress(LOOPBACK, '10.0.0.2')
  })
})
