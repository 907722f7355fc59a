/** The settings of mongod from its arguments and config file; arguments take precedence. */
import type { ProgramFiles } from '#spec'

export interface MongodSettings {
  readonly port?: number
  readonly folder?: string
  readonly auth: boolean
  readonly bindIp?: string
  /** Whether clients without TLS are rejected. */
  readonly requireTls: boolean
  readonly certificateKeyFile?: string
}

/** Parses `--name value`, `--name=value` and bare `--name`. */
const parseArguments = (args: readonly string[]): Map<string, string> => {
  const values = new Map<string, string>()
  for (let index = 0; index < args.length; index++) {
    const [, name, value] = /^--?([\w.]+)(?:=(.*))?$/.exec(args[index]!) ?? []
    if (name === undefined) continue
    const next = args[index + 1]
    if (value !== undefined) values.set(name, value)
    else if (next !== undefined && !next.startsWith('-')) {
      values.set(name, next)
      index++
    } else values.set(name, 'true')
  }
  return values
}

/** Parses nested mappings, the only YAML that a config file of mongod needs. */
const parseConfig = (text: string): Map<string, string> => {
  const values = new Map<string, string>()
  const parents: { indent: number; name: string }[] = []
  for (const line of text.split('\n')) {
    const [, space = '', name, value = ''] =
      /^(\s*)([\w]+):\s*(.*?)\s*$/.exec(line.replace(/\s*#.*$/, '')) ?? []
    if (name === undefined) continue
    while (parents.length > 0 && parents.at(-1)!.indent >= space.length) parents.pop()
    if (value === '') parents.push({ indent: space.length, name })
    else
      values.set([...parents.map((level) => level.name), name].join('.'), value.replace(/^["']|["']$/g, ''))
  }
  return values
}

/** Throws if the config file cannot be read: mongod does not start either. */
export const readMongodSettings = (files: ProgramFiles, args: readonly string[]): MongodSettings => {
  const options = parseArguments(args)
  const file = options.get('config') ?? options.get('f')
  const config =
    file === undefined ? new Map<string, string>() : parseConfig(Buffer.from(files.read(file)).toString())
  const port = options.get('port') ?? config.get('net.port')
  const folder = options.get('dbpath') ?? config.get('storage.dbPath')
  const bindIp = options.has('bind_ip_all') ? '*' : (options.get('bind_ip') ?? config.get('net.bindIp'))
  const tls =
    options.get('tlsMode') ??
    options.get('sslMode') ??
    config.get('net.tls.mode') ??
    config.get('net.ssl.mode')
  const certificate =
    options.get('tlsCertificateKeyFile') ??
    options.get('sslPEMKeyFile') ??
    config.get('net.tls.certificateKeyFile')
  return {
    auth: options.has('auth') || config.get('security.authorization') === 'enabled',
    requireTls: tls === 'requireTLS' || tls === 'requireSSL',
    ...(port !== undefined && { port: Number(port) }),
    ...(folder !== undefined && { folder }),
    ...(bindIp !== undefined && { bindIp }),
    ...(certificate !== undefined && { certificateKeyFile: certificate }),
  }
}
