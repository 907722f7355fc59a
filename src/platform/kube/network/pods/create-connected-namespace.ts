/** Creates a network namespace with an address, and the veth pair that connects it to the cluster's namespace. */
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '#machine/linux'
import { OUTSIDE_ADDRESS, POD_ROUTER } from '#platform/kube/connectivity'
import { writeSettings } from './write-settings.ts'

/** The interface index of `eth0`, the first after the loopback. */
const ETH0 = 2

/** Allows unprivileged users to ping and to listen on every port; IPv6 is limited to the loopback. */
const SETTINGS = {
  'ipv4/ping_group_range': '0 2147483647',
  'ipv4/ip_unprivileged_port_start': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

const setUpInside = (namespace: NetworkNamespace, ip: string): void => {
  const routes = openRouteSocket(namespace)
  try {
    routes.setUp(LOOPBACK)
    routes.addAddress(ETH0, ip)
    routes.setUp(ETH0)
    routes.putRoute({ destination: `${POD_ROUTER}/32`, device: ETH0 })
    routes.putRoute({ destination: '0.0.0.0/0', device: ETH0, gateway: POD_ROUTER })
  } finally {
    routes.close()
  }
}

/** The name of the cluster's end of the veth pair. */
export const deviceName = (device: number): string => `veth${device.toString(36)}`

/** `device` is the interface index of the cluster's end of the pair, which is removed with the namespace. */
export const createConnectedNamespace = (
  routes: RouteSocket,
  device: number,
  ip: string,
): NetworkNamespace => {
  const namespace = createNetworkNamespace()
  try {
    writeSettings(namespace, SETTINGS)
    const clusterEnd = { index: device, name: deviceName(device) }
    routes.addPair(clusterEnd, { index: ETH0, name: 'eth0', namespace })
    routes.addAddress(device, POD_ROUTER)
    routes.setUp(device)
    routes.putRoute({ destination: `${ip}/32`, device, source: OUTSIDE_ADDRESS })
    setUpInside(namespace, ip)
    routes.waitForPair(device)
    return namespace
  } catch (error) {
    namespace.close()
    throw error
  }
}
