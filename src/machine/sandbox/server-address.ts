/** The address of the only server that a sandbox can reach. */
import { isIPv4 } from 'node:net'
import { RemediumError } from '#spec'

export interface ServerAddress {
  /** The host of the URL. */
  readonly host: string
  readonly port: number
  /** The address in the sandbox. */
  readonly inside: string
}

/** The hosts file of the sandbox resolves host names to this address. */
const LOCAL = '127.0.0.1'
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

export const parseServerAddress = (server: string): ServerAddress => {
  const url = URL.canParse(server) ? new URL(server) : undefined
  const port = url === undefined ? undefined : Number(url.port) || DEFAULT_PORTS[url.protocol]
  if (url === undefined || port === undefined || url.hostname.startsWith('['))
    throw new RemediumError('bad-argument', `"${server}" is not an address that a sandbox can reach.`, {
      hint: 'Give the URL of an API server with a name or an IPv4 address, such as https://127.0.0.1:6443.',
    })
  const { hostname } = url
  return { host: hostname, port, inside: isIPv4(hostname) ? hostname : LOCAL }
}

/** The hosts file of the sandbox. */
export const toHostsFile = ({ host }: ServerAddress): string =>
  ['127.0.0.1 localhost sandbox', ...(isIPv4(host) ? [] : [`${LOCAL} ${host}`]), ''].join('\n')
