/** wget and curl for HTTP, and getent. */
import { encodeText, writeAll } from '#platform/shell'
import type { HttpResponseContent, ProgramConnection } from '#spec'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'

interface Address {
  readonly host: string
  readonly port: number
  readonly target: string
  readonly url: string
}

const parseUrl = (call: PodProgramCall, text: string): Address => {
  if (/^(?:https|ftp):/.test(text)) call.refuse()
  const url = /^\w+:\/\//.test(text) ? text : `http://${text}`
  try {
    const { hostname, port, pathname, search } = new URL(url)
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 80),
      target: pathname + search,
      url,
    }
  } catch {
    return call.refuse()
  }
}

interface HttpCall {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** None by default. */
  readonly timeoutMs?: number | undefined
}

const HEAD_BYTES = 120

const errorWith = (code: string): Error => Object.assign(new Error(code), { code })

/** Rejects with an error of the network, or ETIMEDOUT. */
const request = async (
  call: PodProgramCall,
  { host, port, target }: Address,
  { method, headers, body, timeoutMs }: HttpCall,
): Promise<HttpResponseContent> => {
  const { network, time } = call.host
  const abort = new AbortController()
  let connection: ProgramConnection | undefined
  const cancel =
    timeoutMs === undefined
      ? () => {}
      : time.after(timeoutMs, () => {
          abort.abort(errorWith('ETIMEDOUT'))
          connection?.close()
        })
  try {
    connection = await network.connect(host, port, abort.signal)
    const hostHeader = port === 80 ? host : `${host}:${port}`
    const content = {
      method,
      target,
      headers: { host: hostHeader, ...headers },
      ...(body === undefined ? {} : { body }),
    }
    const answer = await connection.exchange({
      content,
      bytes: HEAD_BYTES + target.length + (body?.length ?? 0),
    })
    const response = answer.content as Partial<HttpResponseContent> | null
    // The other side may not be a web server.
    if (typeof response !== 'object' || response === null || typeof response.status !== 'number')
      throw errorWith('ECONNRESET')
    return response as HttpResponseContent
  } catch (error) {
    throw abort.signal.aborted ? errorWith('ETIMEDOUT') : error
  } finally {
    cancel()
    connection?.close()
  }
}

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') throw error
  return code
}

const saveTo = async (call: PodProgramCall, path: string, body: string): Promise<void> => {
  try {
    const file = await call.files.open(call.resolve(path), 'replace')
    await writeAll(file, encodeText(body), 0).finally(() => file.close())
  } catch (error) {
    throw new ProgramFailure(`${path}: ${reasonOf(error)}`, 3)
  }
}

/** Without `-q`, the output of wget contains times and rates, which are not modelled. */
const wget: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, {
    flags: 'qcS',
    values: 'OTt',
    long: { quiet: 'q', timeout: 'T', tries: 't', 'output-document': 'O', spider: 'c', 'post-data': 'p' },
  })
  const [url] = operands
  if (url === undefined || operands.length > 1) call.refuse()
  const address = parseUrl(call, url ?? '')
  const timeoutMs = options.has('T') ? Number(options.get('T')) * 1000 : undefined
  // Other failures are repeated with pauses.
  let response: HttpResponseContent
  try {
    response = await request(call, address, {
      method: options.has('c') ? 'HEAD' : 'GET',
      headers: { 'user-agent': 'Wget/1.21.3', accept: '*/*' },
      timeoutMs,
    })
  } catch (error) {
    const code = codeOf(error)
    if (!options.has('q')) call.refuse(`without -q, after ${code}`)
    if (!/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(code) && options.get('t') !== '1')
      call.refuse(`after ${code}`)
    return 4
  }
  if (response.status >= 300 && response.status < 400) call.refuse('of a redirection')
  if (response.status >= 400) {
    if (!options.has('q')) call.refuse(`without -q, after the status ${response.status}`)
    return 8
  }
  const target = options.get('O') as string | undefined
  if (!options.has('q') && target !== '-') call.refuse('without -q')
  if (options.has('c')) return 0
  const name = target ?? (address.target.split('?')[0]!.split('/').at(-1) || 'index.html')
  if (name === '-') call.out(response.body)
  else if (name !== '/dev/null') await saveTo(call, name, response.body)
  return 0
}

const CURL_ERRORS: Readonly<Record<string, readonly [number, (address: Address) => string]>> = {
  ENOTFOUND: [6, ({ host }) => `Could not resolve host: ${host}`],
  EAI_AGAIN: [6, ({ host }) => `Could not resolve host: ${host}`],
  ECONNREFUSED: [
    7,
    ({ host, port }) => `Failed to connect to ${host} port ${port} after 0 ms: Couldn't connect to server`,
  ],
  ENETUNREACH: [
    7,
    ({ host, port }) => `Failed to connect to ${host} port ${port} after 0 ms: Couldn't connect to server`,
  ],
  EHOSTUNREACH: [
    7,
    ({ host, port }) => `Failed to connect to ${host} port ${port} after 0 ms: Couldn't connect to server`,
  ],
  ETIMEDOUT: [28, () => 'Operation timed out'],
  ECONNRESET: [52, () => 'Empty reply from server'],
}

const toSeconds = (value: string | true | undefined): number | undefined =>
  value === undefined ? undefined : Number(value) * 1000

/** `-H 'Name: value'` can occur several times. */
const headersOf = (args: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = { 'user-agent': 'curl/7.88.1', accept: '*/*' }
  for (const [index, arg] of args.entries()) {
    if (arg !== '-H' && arg !== '--header') continue
    const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(args[index + 1] ?? '') ?? []
    if (name !== undefined) headers[name.toLowerCase()] = value ?? ''
  }
  return headers
}

const writeOut = (call: PodProgramCall, format: string, status: number, address: Address): string =>
  format
    .replaceAll(/%\{(\w+)\}/g, (_, name: string) => {
      if (name === 'http_code' || name === 'response_code') return String(status).padStart(3, '0')
      return name === 'url_effective' ? address.url : call.refuse(`-w ${format}`)
    })
    .replaceAll('\\n', '\n')

const CURL_OPTIONS = {
  flags: 'sSfkLIg4v',
  values: 'moHXdw',
  long: {
    silent: 's',
    'show-error': 'S',
    fail: 'f',
    insecure: 'k',
    location: 'L',
    head: 'I',
    globoff: 'g',
    ipv4: '4',
    'max-time': 'm',
    'connect-timeout': 'm',
    output: 'o',
    header: 'H',
    request: 'X',
    data: 'd',
    'data-raw': 'd',
    'write-out': 'w',
    verbose: 'v',
  },
}

const curl: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, CURL_OPTIONS)
  const [url] = operands
  if (url === undefined || operands.length > 1 || options.has('v') || options.has('I')) call.refuse()
  const address = parseUrl(call, url ?? '')
  const body = options.get('d') as string | undefined
  const headers = headersOf(call.args)
  if (body !== undefined) headers['content-type'] ??= 'application/x-www-form-urlencoded'
  const isSilent = options.has('s')
  const format = options.get('w') as string | undefined
  const finish = (status: number): void => {
    if (format !== undefined) call.out(writeOut(call, format, status, address))
  }
  const fail = (code: number, message: string): number => {
    if (!isSilent) call.refuse('without -s')
    if (options.has('S')) call.host.writeError(`curl: (${code}) ${message}\n`)
    return code
  }
  let response: HttpResponseContent
  try {
    const method = (options.get('X') as string | undefined) ?? (body === undefined ? 'GET' : 'POST')
    response = await request(call, address, { method, headers, body, timeoutMs: toSeconds(options.get('m')) })
  } catch (error) {
    const known = CURL_ERRORS[codeOf(error)]
    if (known === undefined) throw error
    finish(0)
    return fail(known[0], known[1](address))
  }
  if (options.has('L') && response.status >= 300 && response.status < 400) call.refuse('of a redirection')
  if (options.has('f') && response.status >= 400) {
    finish(response.status)
    return fail(22, `The requested URL returned error: ${response.status}`)
  }
  const target = options.get('o') as string | undefined
  // The progress goes to the standard error if the output does not go to a terminal.
  if (!isSilent) call.host.writeError('')
  if (target === undefined || target === '-') call.out(response.body)
  else if (target !== '/dev/null') await saveTo(call, target, response.body)
  finish(response.status)
  return 0
}

const getent: PodProgram = async (call) => {
  const [database, name, ...rest] = call.args
  if (!/^(?:hosts|ahosts|ahostsv4)$/.test(database ?? '') || name === undefined || rest.length > 0)
    call.refuse()
  try {
    const addresses = await call.host.network.lookup(name ?? '')
    for (const address of addresses) {
      if (database === 'hosts') call.out(`${address.padEnd(15)} ${name}\n`)
      else call.refuse()
    }
    return addresses.length === 0 ? 2 : 0
  } catch (error) {
    codeOf(error)
    return 2
  }
}

export const networkPrograms: Readonly<Record<string, PodProgram>> = { curl, getent, wget }
