/** Where the one server is that a sandbox may reach, as programs inside name it. */
import { isIPv4 } from 'node:net'
import { RemediumError } from '../spec/index.ts'

export interface ServerAddress {
  /** As the URL has it. */
  readonly host: string
  readonly port: number
  /** At which it stands inside the sandbox. */
  readonly inside: string
}

/** Names are looked up inside by a file, and all stand for the same address. */
const LOCAL = '127.0.0.1'
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 }

export const parseServerAddress = (server: string): ServerAddress => {
  const url = URL.canParse(server) ? new URL(server) : undefined
  const port = url === undefined ? undefined : Number(url.port) || DEFAULT_PORTS[url.protocol]
  if (url === undefined || port === undefined || url.hostname.startsWith('['))
    throw new RemediumError('bad-argument', `"${server}" is no address that a sandbox can lead to.`, {
      hint: 'Give the URL of an API server with a name or an IPv4 address, such as https://127.0.0.1:6443.',
    })
  const { hostname } = url
  return { host: hostname, port, inside: isIPv4(hostname) ? hostname : LOCAL }
}

/** The file of names inside. */
export const toHostsFile = ({ host }: ServerAddress): string =>
  ['127.0.0.1 localhost sandbox', ...(isIPv4(host) ? [] : [`${LOCAL} ${host}`]), ''].join('\n')
