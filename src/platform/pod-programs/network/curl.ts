/** curl: sends HTTP requests. */
import type { HttpResponseContent } from '#spec'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { type Address, parseUrl } from './parse-url.ts'
import { codeOf, request } from './request.ts'
import { saveTo } from './save-body.ts'

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

export const curl: PodProgram = async (call) => {
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
