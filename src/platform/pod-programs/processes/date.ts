/** date: prints the time, in UTC and the locale C. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** In UTC, and the locale C. */
export const date: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'u', values: 'd' })
  const given = options.get('d') as string | undefined
  const [, seconds] = /^@(\d+)$/.exec(given ?? '') ?? []
  if (given !== undefined && seconds === undefined) call.refuse()
  const ms = seconds === undefined ? call.host.time.now() : Number(seconds) * 1000
  const time = new Date(ms)
  const iso = time.toISOString()
  const day = DAYS[time.getUTCDay()]!
  const month = MONTHS[time.getUTCMonth()]!
  const parts: Readonly<Record<string, string>> = {
    Y: iso.slice(0, 4),
    y: iso.slice(2, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    e: String(time.getUTCDate()).padStart(2),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    a: day,
    b: month,
    s: String(Math.floor(ms / 1000)),
    N: `${iso.slice(20, 23)}000000`,
    z: '+0000',
    Z: 'UTC',
    n: '\n',
    '%': '%',
  }
  const format = operands[0] ?? '+%a %b %e %T %Z %Y'
  if (!format.startsWith('+')) call.refuse()
  call.out(
    `${format.slice(1).replaceAll(/%(\d?)([A-Za-z%])/g, (_, digits: string, letter: string) => {
      const text = parts[letter] ?? call.refuse()
      return digits === '' ? text : text.slice(0, Number(digits))
    })}\n`,
  )
  return 0
}
