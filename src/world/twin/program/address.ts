/** Parses the address of an upstream. */
import { type Address, CallFailure } from '#world/twin/ports'

/** Accepts `host`, `host:port` and URLs. */
export const parseAddress = (text: string, defaultPort: number): Address => {
  const hostAndPort = text
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?].*$/, '')
  const colon = hostAndPort.lastIndexOf(':')
  const port = colon < 0 ? defaultPort : Number(hostAndPort.slice(colon + 1))
  const host = colon < 0 ? hostAndPort : hostAndPort.slice(0, colon)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CallFailure('refused', `dial tcp: address ${text}: invalid port`)
  if (host === '') throw new CallFailure('name', `dial tcp: address ${text}: missing host`)
  return { host, port }
}
