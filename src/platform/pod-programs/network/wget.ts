/** wget: downloads files by HTTP. */
import type { HttpResponseContent } from '#spec'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { parseUrl } from './parse-url.ts'
import { codeOf, request } from './request.ts'
import { saveTo } from './save-body.ts'

/** Without `-q`, the output of wget contains times and rates, which are not modelled. */
export const wget: PodProgram = async (call) => {
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
