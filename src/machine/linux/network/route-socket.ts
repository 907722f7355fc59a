/**
 * Configures devices, addresses and routes of a network namespace over netlink. A pod's network needs ten
 * messages, which take one or two milliseconds; starting the program `ip` once takes longer.
 */
import { attribute, FLAG, NESTED, NETLINK, openNetlink, readAttributes } from './netlink.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const AF_INET = 2

const MESSAGE = { newLink: 16, getLink: 18, setLink: 19, newAddress: 20, newRoute: 24, deleteRoute: 25 }
const UP = 1

const MAIN_TABLE = 254
const STATIC = 4
const UNICAST = 1
const SCOPE = { universe: 0, link: 253, nowhere: 255 }

/** The operational state of RFC 2863, which depends on the other end. */
const OPERATIONAL_STATE = 16
const OPERATIONAL = 6
/** Current kernels need only one query, because the query itself updates the state. */
const MAX_POLLS = 50

/** The interface index of the loopback in every namespace. */
export const LOOPBACK = 1

export interface Route {
  /** `0.0.0.0/0` is the default route. */
  destination: string
  /** The interface index. */
  device: number
  gateway?: string
  /** The default source address of connections. */
  source?: string
}

export interface RouteSocket {
  /** Adds a veth pair with the given indices, with the far end in another namespace. Both ends are down. */
  addPair(near: LinkName, far: LinkName & { namespace: NetworkNamespace }): void
  setUp(device: number): void
  /** Waits until a pair can carry packets; packets sent earlier may be lost. Must be called after both ends are up. */
  waitForPair(device: number): void
  addAddress(device: number, address: string): void
  /** Adds a route, or replaces another route to the same destination. */
  putRoute(route: Route): void
  removeRoute(route: Route): void
  close(): void
}

export interface LinkName {
  index: number
  name: string
}

const int32Bytes = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
const nullTerminated = (value: string): Buffer => Buffer.from(`${value}\0`)
const addressBytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number))

const LINK_HEADER = 16
/** A `struct ifinfomsg`. */
const linkHeader = (index: number, flags = 0): Buffer =>
  Buffer.concat([int32Bytes(0), int32Bytes(index), int32Bytes(flags), int32Bytes(flags)])

const pairBody: (...ends: Parameters<RouteSocket['addPair']>) => Buffer = (near, far) =>
  Buffer.concat([
    linkHeader(near.index),
    attribute(3, nullTerminated(near.name)),
    attribute(
      18 | NESTED,
      attribute(1, Buffer.from('veth')),
      attribute(
        2 | NESTED,
        attribute(
          1 | NESTED,
          linkHeader(far.index),
          attribute(3, nullTerminated(far.name)),
          attribute(28, int32Bytes(far.namespace.fd)),
        ),
      ),
    ),
  ])

const addressBody = (device: number, address: string): Buffer => {
  const local = addressBytes(address)
  return Buffer.concat([
    Buffer.from([AF_INET, 32, 0, SCOPE.universe]),
    int32Bytes(device),
    attribute(1, local),
    attribute(2, local),
  ])
}

const routeBody = ({ destination, device, gateway, source }: Route, isRemoval: boolean): Buffer => {
  const [network = '', bits] = destination.split('/')
  const scope = isRemoval ? SCOPE.nowhere : gateway === undefined ? SCOPE.link : SCOPE.universe
  return Buffer.concat([
    Buffer.from([
      AF_INET,
      Number(bits),
      0,
      0,
      MAIN_TABLE,
      isRemoval ? 0 : STATIC,
      scope,
      isRemoval ? 0 : UNICAST,
    ]),
    int32Bytes(0),
    attribute(1, addressBytes(network)),
    attribute(4, int32Bytes(device)),
    ...(gateway === undefined ? [] : [attribute(5, addressBytes(gateway))]),
    ...(source === undefined ? [] : [attribute(7, addressBytes(source))]),
  ])
}

/** All calls are synchronous. On failure, they throw an error with the errno's name as its code. */
export const openRouteSocket = (namespace: NetworkNamespace): RouteSocket => {
  const { request, query, close } = openNetlink(namespace, NETLINK.route)
  const createOnly = FLAG.create | FLAG.exclusive
  return {
    addPair: (near, far) =>
      request(`adding the device ${near.name}`, MESSAGE.newLink, createOnly, pairBody(near, far)),
    setUp: (device) => request(`starting device ${device}`, MESSAGE.setLink, 0, linkHeader(device, UP)),
    waitForPair(device) {
      for (let attempt = 0; attempt < MAX_POLLS; attempt += 1) {
        const answer = query(`querying device ${device}`, MESSAGE.getLink, linkHeader(device))
        const state = readAttributes(answer.subarray(LINK_HEADER)).get(OPERATIONAL_STATE)
        if (state?.[0] === OPERATIONAL) return
      }
    },
    addAddress: (device, address) =>
      request(`adding the address ${address}`, MESSAGE.newAddress, createOnly, addressBody(device, address)),
    putRoute: (route) =>
      request(
        `adding a route to ${route.destination}`,
        MESSAGE.newRoute,
        FLAG.create | FLAG.replace,
        routeBody(route, false),
      ),
    removeRoute: (route) =>
      request(`removing the route to ${route.destination}`, MESSAGE.deleteRoute, 0, routeBody(route, true)),
    close,
  }
}
