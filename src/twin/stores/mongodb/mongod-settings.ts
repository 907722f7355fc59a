/** What the arguments and the config file of mongod say; arguments win. */
import { readFileSync } from 'node:fs'

export interface MongodSettings {
  readonly port?: number
  readonly folder?: string
  readonly auth: boolean
  readonly bindIp?: string
  /** Clients that do not speak TLS are refused. */
  readonly requireTls: boolean
  readonly certificateKeyFile?: string
}

/** `--name value`, `--name=value` and bare `--name`. */
const parseArguments = (args: readonly string[]): Map<string, string> => {
  const found = new Map<string, string>()
  for (let index = 0; index < args.length; index++) {
    const [, name, value] = /^--?([\w.]+)(?:=(.*))?$/.exec(args[index]!) ?? []
    if (name === undefined) continue
    const next = args[index + 1]
    if (value !== undefined) found.set(name, value)
    else if (next !== undefined && !next.startsWith('-')) {
      found.set(name, next)
      index++
    } else found.set(name, 'true')
  }
  return found
}

/** Nested names by indentation, which is all of YAML that this file uses. */
const parseConfig = (text: string): Map<string, string> => {
  const found = new Map<string, string>()
  const open: { indent: number; name: string }[] = []
  for (const line of text.split('\n')) {
    const [, space = '', name, value = ''] =
      /^(\s*)([\w]+):\s*(.*?)\s*$/.exec(line.replace(/\s*#.*$/, '')) ?? []
    if (name === undefined) continue
    while (open.length > 0 && open.at(-1)!.indent >= space.length) open.pop()
    if (value === '') open.push({ indent: space.length, name })
    else found.set([...open.map((level) => level.name), name].join('.'), value.replace(/^["']|["']$/g, ''))
  }
  return found
}

/** Throws where a config file is named and cannot be read, as mongod would not start then. */
export const readMongodSettings = (args: readonly string[]): MongodSettings => {
  const given = parseArguments(args)
  const file = given.get('config') ?? given.get('f')
  const config = file === undefined ? new Map<string, string>() : parseConfig(readFileSync(file, 'utf8'))
  const port = given.get('port') ?? config.get('net.port')
  const folder = given.get('dbpath') ?? config.get('storage.dbPath')
  const bindIp = given.has('bind_ip_all') ? '*' : (given.get('bind_ip') ?? config.get('net.bindIp'))
  const tls =
    given.get('tlsMode') ?? given.get('sslMode') ?? config.get('net.tls.mode') ?? config.get('net.ssl.mode')
  const certificate =
    given.get('tlsCertificateKeyFile') ??
    given.get('sslPEMKeyFile') ??
    config.get('net.tls.certificateKeyFile')
  return {
    auth: given.has('auth') || config.get('security.authorization') === 'enabled',
    requireTls: tls === 'requireTLS' || tls === 'requireSSL',
    ...(port !== undefined && { port: Number(port) }),
    ...(folder !== undefined && { folder }),
    ...(bindIp !== undefined && { bindIp }),
    ...(certificate !== undefined && { certificateKeyFile: certificate }),
  }
}
