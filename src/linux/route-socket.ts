/**
 * Devices, addresses and routes of a network namespace, by the kernel's own messages. A pod's network is ten of
 * them and takes a millisecond or two; starting the program `ip` even once takes longer.
 */
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { checked, libc } from './libc.ts'
import type { NetworkNamespace } from './network-namespace.ts'

const AF_INET = 2
const AF_NETLINK = 16
const SOCK_RAW_CLOEXEC = 3 | 0o2000000
const NETLINK_ROUTE = 0
const HEADER = 16

const MESSAGE = { newLink: 16, setLink: 19, newAddress: 20, newRoute: 24, deleteRoute: 25 }
const FLAG = { request: 1, acknowledge: 4, replace: 0x100, exclusive: 0x200, create: 0x400 }
const NESTED = 0x8000
const UP = 1

const MAIN_TABLE = 254
const STATIC = 4
const UNICAST = 1
const SCOPE = { universe: 0, link: 253, nowhere: 255 }

/** Given to every namespace by the kernel. */
export const LOOPBACK = 1

export interface Route {
  /** `0.0.0.0/0` is the default route. */
  destination: string
  /** The number of the device. */
  device: number
  gateway?: string
  /** The address that connections begin from when they choose none. */
  source?: string
}

export interface RouteSocket {
  /** A pair of devices with numbers of the caller's choice, the other end in another namespace; both are down. */
  addPair(near: LinkName, far: LinkName & { namespace: NetworkNamespace }): void
  setUp(device: number): void
  addAddress(device: number, address: string): void
  /** In place of another route to the same destination. */
  putRoute(route: Route): void
  removeRoute(route: Route): void
  close(): void
}

export interface LinkName {
  index: number
  name: string
}

const attribute = (type: number, ...content: readonly Buffer[]): Buffer => {
  const data = Buffer.concat(content)
  const whole = Buffer.alloc(4 + ((data.length + 3) & ~3))
  whole.writeUInt16LE(4 + data.length, 0)
  whole.writeUInt16LE(type, 2)
  data.copy(whole, 4)
  return whole
}

const number32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
const zeroEnded = (value: string): Buffer => Buffer.from(`${value}\0`)
const addressBytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number))

/** A `struct ifinfomsg`. */
const linkHeader = (index: number, flags = 0): Buffer =>
  Buffer.concat([number32(0), number32(index), number32(flags), number32(flags)])

const pairBody: (...ends: Parameters<RouteSocket['addPair']>) => Buffer = (near, far) =>
  Buffer.concat([
    linkHeader(near.index),
    attribute(3, zeroEnded(near.name)),
    attribute(
      18 | NESTED,
      attribute(1, Buffer.from('veth')),
      attribute(
        2 | NESTED,
        attribute(
          1 | NESTED,
          linkHeader(far.index),
          attribute(3, zeroEnded(far.name)),
          attribute(28, number32(far.namespace.fd)),
        ),
      ),
    ),
  ])

const addressBody = (device: number, address: string): Buffer => {
  const local = addressBytes(address)
  return Buffer.concat([
    Buffer.from([AF_INET, 32, 0, SCOPE.universe]),
    number32(device),
    attribute(1, local),
    attribute(2, local),
  ])
}

const routeBody = ({ destination, device, gateway, source }: Route, removing: boolean): Buffer => {
  const [network = '', bits] = destination.split('/')
  const scope = removing ? SCOPE.nowhere : gateway === undefined ? SCOPE.link : SCOPE.universe
  return Buffer.concat([
    Buffer.from([
      AF_INET,
      Number(bits),
      0,
      0,
      MAIN_TABLE,
      removing ? 0 : STATIC,
      scope,
      removing ? 0 : UNICAST,
    ]),
    number32(0),
    attribute(1, addressBytes(network)),
    attribute(4, number32(device)),
    ...(gateway === undefined ? [] : [attribute(5, addressBytes(gateway))]),
    ...(source === undefined ? [] : [attribute(7, addressBytes(source))]),
  ])
}

/** The kernel's answer is minus the number of the error, or 0. */
const throwFor = (what: string, answer: number): void => {
  if (answer === 0) return
  const code =
    Object.entries(constants.errno).find(([, value]) => value === -answer)?.[0] ?? `errno ${-answer}`
  throw Object.assign(new Error(`${what}: ${code}`), { code, errno: -answer, syscall: 'netlink' })
}

/** Every call is done when it returns, and throws an error with the errno's name as its code. */
export const openRouteSocket = (namespace: NetworkNamespace): RouteSocket => {
  const fd = namespace.inside(() =>
    checked('socket', libc.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE)),
  )
  const answer = Buffer.alloc(8192)
  let sequence = 0
  const request = (what: string, type: number, flags: number, body: Buffer): void => {
    const header = Buffer.alloc(HEADER)
    header.writeUInt32LE(HEADER + body.length, 0)
    header.writeUInt16LE(type, 4)
    header.writeUInt16LE(FLAG.request | FLAG.acknowledge | flags, 6)
    sequence += 1
    header.writeUInt32LE(sequence, 8)
    const message = Buffer.concat([header, body])
    checked('send', libc.send(fd, message, message.length, 0))
    checked('recv', libc.recv(fd, answer, answer.length, 0))
    throwFor(what, answer.readInt32LE(HEADER))
  }
  return {
    addPair: (near, far) =>
      request(
        `adding the device ${near.name}`,
        MESSAGE.newLink,
        FLAG.create | FLAG.exclusive,
        pairBody(near, far),
      ),
    setUp: (device) => request(`starting device ${device}`, MESSAGE.setLink, 0, linkHeader(device, UP)),
    addAddress: (device, address) =>
      request(
        `adding the address ${address}`,
        MESSAGE.newAddress,
        FLAG.create | FLAG.exclusive,
        addressBody(device, address),
      ),
    putRoute: (route) =>
      request(
        `adding a route to ${route.destination}`,
        MESSAGE.newRoute,
        FLAG.create | FLAG.replace,
        routeBody(route, false),
      ),
    removeRoute: (route) =>
      request(`removing the route to ${route.destination}`, MESSAGE.deleteRoute, 0, routeBody(route, true)),
    close: () => closeSync(fd),
  }
}
