/** Makes a namespace with an address, and the pair of devices by which it and the cluster's reach each other. */
import {
  createNetworkNamespace,
  LOOPBACK,
  type NetworkNamespace,
  openRouteSocket,
  type RouteSocket,
} from '../../../linux/index.ts'
import { OUTSIDE_ADDRESS, POD_ROUTER } from '../addresses.ts'
import { writeSettings } from './write-settings.ts'

/** The number of `eth0`: the first after the loopback, as if the kernel had chosen. */
const ETH0 = 2

/** Ordinary users may ping and listen on every port; addresses are of version 4, but for the loopback. */
const SETTINGS = {
  'ipv4/ping_group_range': '0 2147483647',
  'ipv4/ip_unprivileged_port_start': '0',
  'ipv6/conf/default/disable_ipv6': '1',
}

const setUpInside = (space: NetworkNamespace, ip: string): void => {
  const routes = openRouteSocket(space)
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

/** The name of the near end with this number. */
export const deviceName = (device: number): string => `veth${device.toString(36)}`

/** `device` is the number of the near end, which is gone with the namespace. */
export const connectSpace = (routes: RouteSocket, device: number, ip: string): NetworkNamespace => {
  const space = createNetworkNamespace()
  try {
    writeSettings(space, SETTINGS)
    const near = { index: device, name: deviceName(device) }
    routes.addPair(near, { index: ETH0, name: 'eth0', namespace: space })
    routes.addAddress(device, POD_ROUTER)
    routes.setUp(device)
    routes.putRoute({ destination: `${ip}/32`, device, source: OUTSIDE_ADDRESS })
    setUpInside(space, ip)
    routes.awaitPair(device)
    return space
  } catch (error) {
    space.close()
    throw error
  }
}
